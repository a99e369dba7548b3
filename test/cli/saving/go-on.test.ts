/** A retrieval that is interrupted leaves a part, and the next one continues it. */
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers } from '@retriever/servers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Fields, part, reply } from '../../protocols/http/support/http-answers.ts'
import { type Ending, type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { isFull } from '../../support/runs.ts'

useBundle()
const folder = temporaryFolder()
const modified = 'Sat, 03 Feb 2001 04:05:06 GMT'
const whole = 'abcdefghij'
let server: ScriptedHttp
/** The resource, and how much of it comes before the server goes silent, or ends. */
let content: string
let fields: Fields
let sent: number
let end: Ending

beforeAll(async () => {
  server = await scriptedHttp((asked) => {
    const { range, 'if-range': condition } = asked.fields
    const isSame = condition === undefined || Object.values(fields).includes(condition)
    const answer = range !== undefined && isSame ? part(asked, content, fields) : reply(200, fields, content)
    return { octets: answer.subarray(0, answer.length - content.length + sent), end }
  })
  return () => server[Symbol.asyncDispose]()
})
beforeEach(() => {
  content = whole
  fields = { ETag: '"a"', 'Last-Modified': modified }
  sent = 5
  end = 'fin'
  server.asked.splice(0)
  for (const name of readdirSync(folder())) rmSync(join(folder(), name))
})

const run = (...args: string[]) => retrieve(['--retry', '0', ...args], { cwd: folder() })
const left = (): string[] => readdirSync(folder()).sort()
const read = (name: string): string => readFileSync(join(folder(), name), 'utf8')
const quiet = { status: 0, stdout: '', stderr: '' }
const ranges = (): (string | undefined)[] => server.asked.map(({ fields: { range } }) => range)

/** The last line on standard error. */
const told = (stderr: string): string => stderr.trimEnd().split('\n').at(-1) ?? ''
const keeps = (url: string, what: string): string => `retrieve: ${url}: x.part keeps the 5 B that came; ${what}.`

/** From now on the server sends the rest. */
function heal(): void {
  sent = content.length
  end = 'keep'
}

/** Waits until the part has everything that the server sends before it goes silent. */
async function untilStill(name = 'x.part'): Promise<void> {
  while (statSync(join(folder(), name), { throwIfNoEntry: false })?.size !== sent) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a body that does not come to its end', () => {
  test('by a cut: what came is kept, and -C - continues from there by the entity tag', async () => {
    const { status, stderr } = await run('-o', 'x', server.url)
    expect(status).toBe(18)
    expect(told(stderr)).toBe(keeps(server.url, 'the same command with -C - continues from there'))
    expect(left()).toEqual(['x.part', 'x.part.json'])
    heal()
    expect(await run('-C', '-', '-o', 'x', server.url)).toEqual(quiet)
    expect([read('x'), left()]).toEqual([whole, ['x']])
    expect(server.asked.at(-1)?.fields).toMatchObject({ range: 'bytes=5-', 'if-range': '"a"' })
    expect(statSync(join(folder(), 'x')).mtime).toEqual(new Date(modified))
  })

  test('within the time of -m', async () => {
    end = 'keep'
    const { status, stderr } = await run('-m', '1', '-o', 'x', server.url)
    expect(status).toBe(28)
    expect(told(stderr)).toBe(keeps(server.url, 'the same command with -C - continues from there'))
    heal()
    expect(await run('-m', '9', '-C', '-', '-o', 'x', server.url)).toEqual(quiet)
    expect(read('x')).toBe(whole)
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('R35: because of %s', async (signal, code) => {
    end = 'keep'
    const child = start(['-o', 'x', server.url], { cwd: folder() })
    await untilStill()
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([code, null])
    expect(said).toBe(`${keeps(server.url, 'the same command with -C - continues from there')}\n`)
    heal()
    expect(await run('-C', '-', '-o', 'x', server.url)).toEqual(quiet)
    expect([read('x'), left(), ranges().at(-1)]).toEqual([whole, ['x'], 'bytes=5-'])
  })

  test.runIf(hasTerminal).each(isFull ? [80, 50, 25] : [25])(
    'by Ctrl-C on a terminal of %i columns',
    async (columns) => {
      end = 'keep'
      const { status, screen } = await onPty(folder(), `-o x ${server.url}`, { '50%': '\x03' }, { columns })
      expect(status).toBe(130)
      // The line of the progress bar is gone before the line that says how to go on.
      const said = keeps(server.url, 'the same command with -C - continues from there')
      // A narrow terminal breaks it between words.
      expect(screen.replace(/\r\n *(?=\S)/g, ' ')).toContain(`\r\x1b[K${said}\r\n`)
      heal()
      expect(await run('-C', '-', '-o', 'x', server.url)).toEqual(quiet)
      expect([read('x'), left(), ranges().at(-1)]).toEqual([whole, ['x'], 'bytes=5-'])
    },
  )

  test('R35: because of a signal while it waits for the next try', async () => {
    const child = start(['--retry', '9', '-o', 'x', server.url], { cwd: folder() })
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (/Going on at octet 5 in/.test(text)) child.kill('SIGINT')
    })
    expect(await once(child, 'close')).toEqual([130, null])
    expect(told(said)).toBe(keeps(server.url, 'the same command with -C - continues from there'))
    expect(left()).toEqual(['x.part', 'x.part.json'])
  })

  test('twice: the second part goes behind the first', async () => {
    await run('-o', 'x', server.url)
    sent = 7
    const { status, stderr } = await run('-C', '-', '-o', 'x', server.url)
    expect(status).toBe(18)
    expect(told(stderr)).toMatch(/: x\.part keeps the 7 B that came; the same command continues from there\.$/)
    heal()
    expect(await run('-C', '-', '-o', 'x', server.url)).toEqual(quiet)
    expect([read('x'), ranges()]).toEqual([whole, [undefined, 'bytes=5-', 'bytes=7-']])
  })

  test('of FTP: by size, date and the last 4 KiB', async () => {
    await using servers = await startServers({ bigSize: 20_000, ftp: { faults: { cutAfter: 10_000, bodies: 1 } } })
    const url = `${servers.ftp.url}big`
    const { status, stderr } = await run('-o', 'x', url)
    expect(status).toBe(18)
    expect(told(stderr)).toMatch(/: x\.part keeps the .* that came; the same command with -C - continues from there\.$/)
    const length = statSync(join(folder(), 'x.part')).size
    expect(await run('-C', '-', '-o', 'x', url)).toEqual(quiet)
    expect([statSync(join(folder(), 'x')).size, left()]).toEqual([20_000, ['x']])
    expect(servers.ftp.received.filter((line) => /^REST/.test(line))).toEqual([`REST ${length - 4096}`])
    expect(await run('-o', 'again', url)).toEqual(quiet)
    expect(read('again') === read('x')).toBe(true)
  })

  test('under the name of -O', async () => {
    await run('-O', `${server.url}x`)
    heal()
    expect(await run('-C', '-', '-O', `${server.url}x`)).toEqual(quiet)
    expect(read('x')).toBe(whole)
  })

  test('under the name of -J: the line says it', async () => {
    fields = { ...fields, 'Content-Disposition': 'attachment; filename=x' }
    const { stderr } = await run('-OJ', server.url)
    expect(told(stderr)).toBe(keeps(server.url, 'the same command with -C - -o x in place of -OJ continues from there'))
    heal()
    expect(await run('-C', '-', '-o', 'x', server.url)).toEqual(quiet)
    expect(read('x')).toBe(whole)
  })

  test('as an object with --json, and without a word with -s', async () => {
    const { stderr } = await run('--json', '-o', 'x', server.url)
    expect(JSON.parse(told(stderr))).toEqual({
      notice: { operand: server.url, message: keeps('', 'the same command with -C - continues from there').slice(12) },
    })
    expect((await run('-s', '-o', 'x', server.url)).stderr).toBe('')
    expect(left()).toEqual(['x.part', 'x.part.json'])
  })

  test('of a range is not kept: -C cannot go on with it', async () => {
    expect((await run('-r', '0-', '-o', 'x', server.url)).status).toBe(18)
    expect(left()).toEqual([])
  })
})

test('an error that leaves nothing says nothing of what an earlier run has left', async () => {
  await run('-o', 'x', server.url)
  sent = 0
  const { stderr } = await run('-C', '-', '-o', 'x', server.url)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(read('x.part')).toBe('abcde')
})

describe('-C - mixes no two versions', () => {
  test.each<[string, Fields]>([
    ['another entity tag', { ETag: '"b"', 'Last-Modified': modified }],
    ['another date', { 'Last-Modified': 'Sun, 04 Feb 2001 04:05:06 GMT' }],
  ])('%s: the new one comes whole', async (_, changed) => {
    if (changed.ETag === undefined) fields = { 'Last-Modified': modified, Date: 'Sun, 04 Feb 2001 04:05:06 GMT' }
    await run('-o', 'x', server.url)
    fields = changed
    content = '0123456789'
    heal()
    const { status, stderr } = await run('-C', '-', '-o', 'x', server.url)
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('; starting over.'),
    })
    expect([read('x'), left()]).toEqual(['0123456789', ['x']])
  })

  test('of another URL begins anew', async () => {
    await run('-o', 'x', `${server.url}other`)
    heal()
    const { status, stderr } = await run('-C', '-', '-o', 'x', server.url)
    const why = `it starts over: x.part holds a part of another URL (${server.url}other)`
    expect({ status, stderr }).toEqual({ status: 0, stderr: `retrieve: ${server.url}: ${why}\n` })
    expect([read('x'), ranges()]).toEqual([whole, [undefined, undefined]])
  })

  test('of a URL that differs in a secret alone begins anew, unless an entity tag proves the version', async () => {
    const keyed = (key: string): string => `${server.url}?token=${key}`
    fields = { 'Last-Modified': modified }
    const { stderr } = await run('-o', 'x', keyed('one'))
    expect(told(stderr)).toContain('?token=***: x.part keeps the 5 B that came; nothing could prove')
    heal()
    expect(await run('-C', '-', '-o', 'x', keyed('two'))).toMatchObject({ status: 0 })
    expect([read('x'), ranges()]).toEqual([whole, [undefined, undefined]])
  })

  test('without a proof begins anew, as the line has said', async () => {
    fields = { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }
    content = '5\r\nabcde\r\n5\r\nfghij\r\n0\r\n\r\n'
    sent = 10
    const first = await run('-o', 'x', server.url)
    expect(first.status).toBe(18)
    expect(told(first.stderr)).toBe(
      keeps(
        server.url,
        'nothing could prove which octets follow, so the next try starts over; -C - --continue-unverified appends anyway',
      ),
    )
    heal()
    const { status, stderr } = await run('-C', '-', '-o', 'x', server.url)
    const why = 'it starts over: nothing proves which version x.part holds (--continue-unverified appends anyway)'
    expect({ status, stderr }).toEqual({ status: 0, stderr: `retrieve: ${server.url}: ${why}\n` })
    expect([read('x'), ranges()]).toEqual([whole, [undefined, undefined]])
  })

  test.each(['damaged', '{"url":null}'])('R36: with a record that is damaged begins anew (%s)', async (text) => {
    await run('-o', 'x', server.url)
    writeFileSync(join(folder(), 'x.part.json'), text)
    heal()
    expect(await run('-C', '-', '-o', 'x', server.url)).toMatchObject({ status: 0 })
    expect([read('x'), left()]).toEqual([whole, ['x']])
  })
})

describe('without -C', () => {
  test('a run begins anew over what an earlier one has left', async () => {
    await run('-o', 'x', server.url)
    heal()
    expect(await run('-o', 'x', server.url)).toEqual(quiet)
    expect([read('x'), left(), ranges()]).toEqual([whole, ['x'], [undefined, undefined]])
  })

  test('a run that gets less than an earlier one keeps what it got, and says so', async () => {
    await run('-o', 'x', server.url)
    sent = 3
    const { stderr } = await run('-o', 'x', server.url)
    expect(told(stderr)).toMatch(/: x\.part keeps the 3 B that came; /)
    expect(read('x.part')).toBe('abc')
  })

  test('and over a part of which nothing is known', async () => {
    writeFileSync(join(folder(), 'x.part'), 'left behind')
    heal()
    expect(await run('-o', 'x', server.url)).toEqual(quiet)
    expect([read('x'), left()]).toEqual([whole, ['x']])
  })
})

describe('a process that writes the same file', () => {
  async function writing(): Promise<ReturnType<typeof start>> {
    end = 'keep'
    const child = start(['-o', 'x', server.url], { cwd: folder() })
    await untilStill()
    return child
  }

  test.each([
    ['-o', 'x'],
    ['-C', '-', '-o', 'x'],
  ])('R38: is respected while it lives: %s %s', async (...args) => {
    const child = await writing()
    const { status, stderr } = await run(...args, server.url)
    const why = `another retrieval is writing it; wait for its end, or choose another name (process ${child.pid})`
    expect({ status, stderr }).toEqual({ status: 23, stderr: `retrieve: x.part cannot be written: ${why}.\n` })
    expect([read('x.part'), server.asked.length]).toEqual(['abcde', 1])
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  test('R36: and was killed is followed by a run that begins anew', async () => {
    const child = await writing()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(left()).toEqual(['x.part', 'x.part.json'])
    heal()
    expect(await run('-o', 'x', server.url)).toEqual(quiet)
    expect([read('x'), left(), ranges()]).toEqual([whole, ['x'], [undefined, undefined]])
  })

  test.runIf(process.platform === 'linux')('R36: and was killed is followed by -C - from where it was', async () => {
    const child = await writing()
    child.kill('SIGKILL')
    await once(child, 'exit')
    heal()
    expect(await run('-C', '-', '-o', 'x', server.url)).toEqual(quiet)
    expect([read('x'), left(), ranges()]).toEqual([whole, ['x'], [undefined, 'bytes=5-']])
  })
})
