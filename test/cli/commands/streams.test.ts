import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shell, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

/** shell() blocks, so the servers must run in a process of their own. */
async function serveElsewhere(...args: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = start(['serve', '--http-port', '0', ...args])
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url: line.toString().split('\n')[0] ?? '', stop }
}

describe('standard output', () => {
  let http: Awaited<ReturnType<typeof serveElsewhere>>
  beforeAll(async () => {
    http = await serveElsewhere('http')
  })
  afterAll(() => http.stop())

  test('R37: a reader that has enough ends it quietly', () => {
    const { status, stdout, stderr } = shell(`retrieve ${http.url}big | head -c 10 | od -An -tu1`)
    expect({ status, stdout: stdout.trim().split(/\s+/), stderr }).toEqual({
      status: 0,
      stdout: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
      stderr: '',
    })
  })

  test('R37: nothing more is asked for once the reader has gone', () => {
    const script = `retrieve ${http.url}big ${http.url}missing | head -c 10 >/dev/null`
    expect(shell(script)).toMatchObject({ status: 0, stderr: '' })
  })

  test('R37: a file that came is no failure, though the reader of what -v says has gone', async () => {
    const child = start(['-v', '-o', 'traced', `${http.url}readme.txt`], { cwd: folder() })
    child.stderr?.destroy()
    expect(await once(child, 'close')).toEqual([0, null])
    expect(existsSync(join(folder(), 'traced'))).toBe(true)
  })

  test.each([
    ['a failure', 22, ['-w', 'x', '-o', 'failed', '@missing']],
    ['a failure in a record', 22, ['--json', '-o', 'failed', '@missing']],
    ['a failure of a group before', 22, ['-o', 'failed', '@missing', '--next', '-w', 'x', '-o', 'came', '@readme.txt']],
    ['files that did not come', 141, ['-w', 'x', '-o', 'first', '@readme.txt', '-o', 'second', '@readme.txt']],
    ['no failure, once all files came,', 0, ['-w', 'x', '-o', 'came', '@readme.txt']],
  ])('R37: %s shows in the status, %i, though the reader has gone', async (_what, expected, line) => {
    const child = start(
      line.map((word) => word.replace('@', http.url)),
      { cwd: folder() },
    )
    child.stdout?.destroy()
    const stderr = text(child.stderr ?? Readable.from([]))
    const [status] = await once(child, 'close')
    const isTold = (await stderr).includes('The server has no such resource')
    expect({ status, isTold }).toEqual({ status: expected, isTold: expected === 22 })
  })

  test.each([
    ['a dead link', 22, ['check', '@missing']],
    ['a listing that is not there', 22, ['ls', '@missing/', '@pub/']],
    ['a word that is no URL', 3, ['explain', 'word', '@']],
  ])('R37: %s shows in the status, %i, though the reader has gone', async (_what, expected, line) => {
    const child = start(line.map((word) => word.replace('@', http.url)))
    child.stdout?.destroy()
    expect(await once(child, 'close')).toEqual([expected, null])
  })

  test('/dev/stdout is standard output, also where that is a file', () => {
    const out = join(folder(), 'redirected')
    expect(shell(`echo first > ${out}; retrieve -o /dev/stdout ${http.url}pub/hello.txt >> ${out}`)).toMatchObject({
      status: 0,
      stderr: '',
    })
    expect(readFileSync(out, 'utf8')).toBe('first\nHello, world.\n')
    expect(readdirSync('/dev')).not.toContain('stdout.part')
  })

  test('R34: a full disk is exit code 23 and one sentence', () => {
    expect(shell(`retrieve ${http.url}readme.txt > /dev/full`)).toEqual({
      status: 23,
      stdout: '',
      stderr: 'retrieve: Standard output cannot be written: no space is left on the device.\n',
    })
    expect(shell(`retrieve -o /dev/full ${http.url}readme.txt`)).toMatchObject({
      status: 23,
      stderr: 'retrieve: /dev/full cannot be written: no space is left on the device.\n',
    })
    expect(shell('retrieve --help > /dev/full')).toMatchObject({ status: 23 })
  })

  test('R34: a short write is not taken for a whole one', () => {
    // The limit is 1 KiB, the body 4 KiB: write(2) takes the first quarter and says so.
    const script = `trap '' XFSZ; ulimit -f 1; retrieve ${http.url}pub/a.bin > short`
    const { status, stderr } = shell(script, folder())
    expect({ status, stderr }).toEqual({
      status: 23,
      stderr: 'retrieve: Standard output cannot be written: the file may not grow further.\n',
    })
    expect(readFileSync(join(folder(), 'short'))).toHaveLength(1024)
  })

  test('R34: a file that may not grow keeps what came, and is not tried again', () => {
    const script = `trap '' XFSZ; ulimit -f 1000; retrieve -o short-file ${http.url}big`
    const { status, stderr } = shell(script, folder())
    expect(status).toBe(23)
    expect(stderr).toMatch(/^retrieve: short-file.part cannot be written: the file may not grow further.\n.*-C - .*\n$/)
    const { length } = JSON.parse(readFileSync(join(folder(), 'short-file.part.json'), 'utf8'))
    expect(statSync(join(folder(), 'short-file.part'))).toMatchObject({ size: length })
    expect(length).toBeGreaterThan(0)
    expect(existsSync(join(folder(), 'short-file'))).toBe(false)
  })

  test('goes on after a pause of the reader, octet by octet', () => {
    const script = `retrieve -r 0-2999999 ${http.url}big | { head -c 100000; sleep 0.5; cat; } | sha256sum`
    const whole = `retrieve -r 0-2999999 ${http.url}big > all; sha256sum < all; stat -c %s all`
    const [sum, size] = shell(whole, folder()).stdout.split('\n')
    expect(size).toBe('3000000')
    expect(shell(script).stdout.trim()).toBe(sum)
  })
})

describe('interrupts', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'R35: %s: exit code %i, what came is kept, a line says so, the connection closed',
    async (signal, code) => {
      const name = `big-${signal}`
      const child = start(['-o', name, `${servers.http.url}big`], { cwd: folder() })
      const said = text(child.stderr ?? Readable.from([]))
      await partFile(`${name}.part`)
      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([code, null])
      const line = new RegExp(
        `^retrieve: \\S+: ${name}\\.part keeps the .* that came; the same command with -C - continues`,
      )
      expect(await said).toMatch(line)
      const left = readdirSync(folder()).filter((each) => each.startsWith(name))
      expect(left.sort()).toEqual([`${name}.part`, `${name}.part.json`])
      await servers.http.waitForConnections(0)
    },
  )

  test('also while a reader has paused', async () => {
    // The pipe has no reader, so it fills.
    const child = start([`${servers.http.url}big`])
    await servers.http.waitForConnections(1)
    await new Promise((resolve) => setTimeout(resolve, 300))
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([143, null])
  })

  test.each([
    ['-K', 'FIFO'],
    ['--url', '@FIFO'],
    ['-H', '@FIFO'],
    ['--netrc-file', 'FIFO'],
  ])('while %s waits for what a FIFO will say', async (option, value) => {
    const fifo = join(folder(), `fifo${option}`)
    execFileSync('mkfifo', [fifo])
    const child = start([option, value.replace('FIFO', fifo), `${servers.http.url}readme.txt`])
    // Opened once the command has opened it, too.
    const writer = await open(fifo, 'w')
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    try {
      expect(await ended).toEqual([null, 'SIGINT'])
    } finally {
      await writer.close()
    }
  })

  test('while a server is silent', async () => {
    await using silent = await startServers({ ftp: { faults: { stall: 'greeting' } } })
    const child = start([`${silent.ftp.url}x`])
    await silent.ftp.waitForConnections(1)
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
  })

  async function partFile(name: string): Promise<void> {
    const size = (): number => statSync(join(folder(), name), { throwIfNoEntry: false })?.size ?? 0
    while (size() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }
})

test.runIf(process.platform === 'linux')('file:///dev/stdin is refused, also where that is a regular file', () => {
  const { status, stdout, stderr } = shell('echo secret > x; retrieve file:///dev/stdin < x', folder())
  expect({ status, stdout }).toEqual({ status: 37, stdout: '' })
  expect(stderr).toContain('belongs to a running process')
})
