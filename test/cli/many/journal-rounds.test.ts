/** The journals of mirror and check: a run that was broken off goes on, and one that ended begins anew. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { bin, cleanEnv, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()
let asked: string[] = []
let gone: readonly string[] = ['/t/gone.txt']
/** Is told of a URL that is not answered. */
let onSilent: (() => void) | null = null
const index =
  '<title>Index of /t</title><pre><a href="a.txt">a.txt</a>\n<a href="b.txt">b.txt</a>\n<a href="gone.txt">gone.txt</a>\n</pre>'
const server = listServer(({ url = '' }, response) => {
  asked.push(url)
  if (url === '/t/silent.txt' && onSilent !== null) onSilent()
  else if (gone.includes(url)) response.writeHead(404).end()
  else if (url === '/t/') response.writeHead(200, { 'content-type': 'text/html' }).end(index)
  else response.writeHead(200, { etag: '"v1"' }).end(url)
})
let base = ''
beforeAll(() => {
  base = server()
})
beforeEach(() => {
  asked = []
  gone = ['/t/gone.txt']
})

async function run(cwd: string, ...args: string[]) {
  asked = []
  const outcome = await retrieve([...args, '--retry', '0', '--journal', 'journal'], { cwd })
  return { ...outcome, asked: asked.toSorted() }
}

const linesOf = (cwd: string) =>
  readFileSync(join(cwd, 'journal'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Leaves the lines that a command has written which was killed before it came to the URL. */
function killBefore(cwd: string, url: string): void {
  const lines = linesOf(cwd).filter((line) => line.event !== 'ended' && line.url !== url)
  writeFileSync(join(cwd, 'journal'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

describe('mirror', () => {
  const mirror = (cwd: string, ...more: string[]) => run(cwd, 'mirror', '--no-robots', `${base}/t/`, 'to', ...more)

  test('goes on after a kill, asks for no file twice, and leaves what failed for good', async () => {
    const cwd = mkdtempSync(join(outer(), 'mirror-'))
    expect(await mirror(cwd)).toMatchObject({ status: 22, asked: ['/t/', '/t/a.txt', '/t/b.txt', '/t/gone.txt'] })
    const file = join('to', 'a.txt')
    expect(linesOf(cwd)).toContainEqual(
      expect.objectContaining({
        event: 'done',
        url: `${base}/t/a.txt`,
        file: expect.stringMatching(`${file}$`),
        size: 8,
        sha256: '97ab8dda69c7e0eb588c17ef8b5c7890d5a3a7e06384e90a3267adb29e51b811',
        etag: '"v1"',
      }),
    )
    killBefore(cwd, `${base}/t/b.txt`)
    rmSync(join(cwd, 'to/b.txt'))
    const again = await mirror(cwd)
    expect(again).toMatchObject({ status: 22, asked: ['/t/', '/t/b.txt'] })
    expect(again.stderr).toContain('It failed so before; --retry-failed asks again.')
    killBefore(cwd, `${base}/t/b.txt`)
    gone = []
    expect((await mirror(cwd, '--retry-failed')).asked).toContain('/t/gone.txt')
    expect(readFileSync(join(cwd, 'to/gone.txt'), 'utf8')).toBe('/t/gone.txt')
  })

  test('begins a new round after a run that ended', async () => {
    const cwd = mkdtempSync(join(outer(), 'mirror-'))
    await mirror(cwd)
    expect(await mirror(cwd)).toMatchObject({ asked: ['/t/', '/t/a.txt', '/t/b.txt', '/t/gone.txt'] })
  })
})

describe('check', () => {
  test('goes on after a kill, and tells again what it knows', async () => {
    const cwd = mkdtempSync(join(outer(), 'check-'))
    const urls = ['a.txt', 'gone.txt', 'b.txt'].map((name) => `${base}/t/${name}`)
    writeFileSync(join(cwd, 'links'), urls.join('\n'))
    const whole = await run(cwd, 'check', 'links')
    expect(whole.status).toBe(22)
    killBefore(cwd, `${base}/t/b.txt`)
    const again = await run(cwd, 'check', 'links')
    expect(again).toMatchObject({ status: 22, asked: ['/t/b.txt'], stderr: whole.stderr })
    expect(again.stdout.split('\n').toSorted()).toEqual(whole.stdout.split('\n').toSorted())
    expect(new Set((await run(cwd, 'check', 'links')).asked)).toEqual(new Set(['/t/a.txt', '/t/b.txt', '/t/gone.txt']))
    const { stdout } = await retrieve(['journal', '--json', 'journal'], { cwd })
    expect(JSON.parse(stdout.split('\n')[0] ?? '').journal).toMatchObject({
      command: 'check',
      done: 2,
      failed: 1,
      left: 0,
    })
  })

  test('a signal makes no link dead, and the next run goes on', async () => {
    const cwd = mkdtempSync(join(outer(), 'check-'))
    const [known, silent] = ['a.txt', 'silent.txt'].map((name) => `${base}/t/${name}`)
    writeFileSync(join(cwd, 'links'), `${known}\n${silent}`)
    const isAsked = new Promise<void>((resolve) => {
      onSilent = resolve
    })
    const told = join(cwd, 'told')
    const output = openSync(told, 'w')
    const args = [bin, 'check', 'links', '--journal', 'journal']
    const child = spawn(process.execPath, args, { cwd, env: cleanEnv, stdio: ['ignore', output, 'ignore'] })
    closeSync(output)
    await isAsked
    await expect.poll(() => readFileSync(told, 'utf8'), { timeout: 30_000 }).toBe(`alive 200 ${known}\n`)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([143, null])
    expect(readFileSync(told, 'utf8')).toBe(`alive 200 ${known}\n`)
    onSilent = null
    expect(await run(cwd, 'check', 'links')).toMatchObject({
      status: 0,
      asked: ['/t/silent.txt'],
      stdout: `alive 200 ${known}\nalive 200 ${silent}\n`,
    })
  })

  test('refuses the journal of another command', async () => {
    const cwd = mkdtempSync(join(outer(), 'check-'))
    await retrieve(['-O', `${base}/t/a.txt`, '--journal', 'journal'], { cwd })
    const { status, stderr, asked: again } = await run(cwd, 'check', `${base}/t/a.txt`)
    expect({ status, asked: again }).toEqual({ status: 2, asked: [] })
    expect(stderr).toContain('is the journal of `retrieve get`: name another file for `retrieve check`.')
  })
})
