/** --journal for lists: what is asked for again, and what is not. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { type Outcome, retrieve, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()

let asked: string[] = []
/** What the server answers in place of 200, by the path. */
let statuses: Readonly<Record<string, number>> = {}
let held: (() => void)[] | null = null

const server = listServer(({ url = '' }, response) => {
  asked.push(url)
  const status = statuses[url] ?? 200
  const answer = (): void => {
    const fields = { ...(status === 503 && { 'retry-after': '1000' }), etag: '"v1"' }
    response.writeHead(status, fields).end(`${url}\n`)
  }
  if (held === null) answer()
  else held.push(answer)
})
let base = ''
beforeAll(() => {
  base = server()
})
beforeEach(() => {
  asked = []
  statuses = {}
  held = null
})

/** A folder with a list; `@` in it is the server. */
function folderWith(list: string): string {
  const folder = mkdtempSync(join(outer(), 'journal-'))
  writeFileSync(join(folder, 'list'), list.replaceAll('@', base))
  return folder
}

const command = ['--from', 'list', '--output-dir', '.', '-j', '1', '--journal', 'journal'] as const

/** The command in this process, and what it asked the server for. */
async function run(cwd: string, ...more: string[]): Promise<Outcome & { asked: string[] }> {
  asked = []
  const outcome = await retrieve([...command, ...more], { cwd })
  return { ...outcome, asked }
}

interface Told {
  readonly event: string
  readonly [more: string]: unknown
}

const content = (cwd: string, name: string): string => readFileSync(join(cwd, name), 'utf8')
const linesOf = (cwd: string): Told[] =>
  content(cwd, 'journal')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Leaves in the journal the lines that fit, as a killed command would. */
function keepLines(cwd: string, fits: (line: Told) => boolean, change: (line: Told) => Told = (line) => line): void {
  const kept = linesOf(cwd).filter(fits).map(change)
  writeFileSync(join(cwd, 'journal'), kept.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** The record of a part that no process writes. */
const deadRecord = JSON.stringify({ url: null, etag: null, modified: null, size: null, length: null, writer: null })
const isNoEnd = ({ event }: Told): boolean => event !== 'ended'

describe('the lines', () => {
  test('are one JSON object an event, which only the owner may read', async () => {
    statuses = { '/gone': 404 }
    const cwd = folderWith('@/a\n@/gone\n')
    expect((await run(cwd)).status).toBe(22)
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const [opened, ...others] = linesOf(cwd)
    expect(opened).toMatchObject({ event: 'opened', at, version: 1, command: 'get', pid: process.pid })
    const sha256 = '2dcc5f529a273b6c724045ba06f40c4cfd82a940615ca7de15535ca68da5dbb0'
    expect(others.filter(({ event }) => event !== 'listed')).toEqual([
      { event: 'begun', at, url: `${base}/a`, file: 'a' },
      { event: 'done', at, url: `${base}/a`, file: 'a', size: 3, sha256, etag: '"v1"', modified: null },
      { event: 'begun', at, url: `${base}/gone`, file: 'gone' },
      {
        ...{
          event: 'failed',
          at,
          url: `${base}/gone`,
          file: 'gone',
          code: 'not-found',
          status: 404,
          exit: 22,
          again: null,
        },
        message: expect.stringContaining('404 Not Found'),
      },
      { event: 'ended', at, isWhole: true },
    ])
    expect(others).toContainEqual({ event: 'listed', at, urls: 2 })
    expect(statSync(join(cwd, 'journal')).mode & 0o777).toBe(0o600)
    expect(readdirSync(cwd).toSorted()).toEqual(['a', 'journal', 'list'])
  })

  test('have no secrets, and tell apart two URLs that differ in nothing else', async () => {
    const login = base.replace('//', '//alice:wonder@')
    const cwd = folderWith('@/b?token=hidden1\n@/b?token=hidden2\n')
    writeFileSync(join(cwd, 'list'), `${login}/a\n${content(cwd, 'list')}`)
    expect(await run(cwd)).toMatchObject({ status: 0, asked: ['/a', '/b?token=hidden1', '/b?token=hidden2'] })
    expect(content(cwd, 'journal')).not.toMatch(/wonder|hidden/)
    expect(linesOf(cwd)).toContainEqual(expect.objectContaining({ url: `${base.replace('//', '//alice@')}/a` }))
    expect(await run(cwd)).toMatchObject({ status: 0, asked: [] })
  })
})

describe('the same command again', () => {
  test('asks for no URL twice, however it is written', async () => {
    const cwd = folderWith('@/a\n@/x/../b\n')
    await run(cwd)
    writeFileSync(join(cwd, 'list'), `${base.replace('http', 'HTTP')}/a\n${base}/%62\n${base}/c\n`)
    const { status, stderr, asked } = await run(cwd)
    expect({ status, asked }).toEqual({ status: 0, asked: ['/c'] })
    expect(stderr).toMatch(/retrieve: 3 of 3 \(2 done before\); 3 B in/)
  })

  test('skips by the URL, never by the name', async () => {
    const cwd = folderWith('@/1/a\n')
    await run(cwd)
    writeFileSync(join(cwd, 'list'), `${base}/2/a\n${base}/1/a\n`)
    expect(await run(cwd, '--skip-existing')).toMatchObject({ status: 0, asked: ['/2/a'] })
    expect([content(cwd, 'a'), content(cwd, 'a.1')]).toEqual(['/1/a\n', '/2/a\n'])
  })

  test('does not repeat what failed for good, unless --retry-failed is given', async () => {
    statuses = { '/gone': 404 }
    const cwd = folderWith('@/a\n@/gone\n')
    await run(cwd)
    const again = await run(cwd, '--failed', 'again')
    expect(again).toMatchObject({ status: 22, asked: [] })
    expect(again.stderr).toContain('1 of 2 (1 done before), 1 failed before (--retry-failed asks for them again)')
    expect(content(cwd, 'again')).toMatch(/^# not-found: .*\n.*\/gone\n$/)
    statuses = {}
    expect(await run(cwd, '--retry-failed')).toMatchObject({ status: 0, asked: ['/gone'] })
    expect(await run(cwd)).toMatchObject({ status: 0, asked: [] })
  })

  test('asks again for what may pass, once its time has come', async () => {
    statuses = { '/full': 503 }
    const cwd = folderWith('@/full\n')
    expect((await run(cwd, '--retry', '0')).status).toBe(22)
    const failed = linesOf(cwd).find(({ event }) => event === 'failed')
    expect(Date.parse(String(failed?.again)) - Date.parse(String(failed?.at))).toBeGreaterThan(900_000)
    expect(await run(cwd)).toMatchObject({ status: 22, asked: [] })
    keepLines(
      cwd,
      () => true,
      (line) => (line.event === 'failed' ? { ...line, again: line.at } : line),
    )
    statuses = {}
    expect(await run(cwd)).toMatchObject({ status: 0, asked: ['/full'] })
  })

  test('asks again for what failed on this machine', async () => {
    const cwd = folderWith('@/a\n')
    mkdirSync(join(cwd, 'a'))
    expect((await run(cwd)).status).toBe(23)
    rmSync(join(cwd, 'a'), { recursive: true })
    expect(await run(cwd)).toMatchObject({ status: 0, asked: ['/a'] })
  })

  test('leaves alone a file that was moved away after its run', async () => {
    const cwd = folderWith('@/a\n')
    await run(cwd)
    rmSync(join(cwd, 'a'))
    expect(await run(cwd)).toMatchObject({ status: 0, asked: [] })
  })

  test('has begun only what was asked for before Ctrl-C', async () => {
    const cwd = folderWith('@/a\n@/b\n@/c\n@/d\n')
    held = []
    const child = start(command, { cwd })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    await expect.poll(() => asked).toEqual(['/a'])
    child.kill('SIGINT')
    await ended
    const begun = linesOf(cwd).filter(({ event }) => event === 'begun')
    expect(begun.map(({ url }) => url)).toEqual([`${base}/a`])
  })

  test('goes on after Ctrl-C, and gives the file in flight the same name', async () => {
    const cwd = folderWith('@/1/a\n@/2/a\n@/3/a\n')
    writeFileSync(join(cwd, 'list'), `${base}/1/a\n${base}/2/a\n${base}/3/a\n`)
    const child = start([...command, '-s'], { cwd })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    // The second URL gets no answer.
    await expect.poll(() => asked).toContain('/1/a')
    held = []
    await expect.poll(() => held?.length === 1 || asked.includes('/3/a')).toBe(true)
    child.kill('SIGINT')
    await ended
    held = null
    const { status, asked: rest } = await run(cwd)
    expect(status).toBe(0)
    expect(rest).not.toContain('/1/a')
    const saved = ['a', 'a.1', 'a.2'].map((name) => content(cwd, name))
    expect(saved.toSorted()).toEqual(['/1/a\n', '/2/a\n', '/3/a\n'])
  })
})

describe('a command that was killed', () => {
  test('between the line and the name: the part gets the name, and nothing is asked', async () => {
    const cwd = folderWith('@/a\n')
    await run(cwd)
    keepLines(cwd, isNoEnd)
    renameSync(join(cwd, 'a'), join(cwd, 'a.part'))
    writeFileSync(join(cwd, 'a.part.json'), deadRecord)
    expect(await run(cwd)).toMatchObject({ status: 0, asked: [] })
    expect([content(cwd, 'a'), readdirSync(cwd).toSorted()]).toEqual(['/a\n', ['a', 'journal', 'list']])
  })

  test('behind the name: the record of the part goes, and nothing is asked', async () => {
    const cwd = folderWith('@/a\n')
    await run(cwd)
    keepLines(cwd, isNoEnd)
    writeFileSync(join(cwd, 'a.part.json'), deadRecord)
    expect(await run(cwd)).toMatchObject({ status: 0, asked: [] })
    expect(readdirSync(cwd).toSorted()).toEqual(['a', 'journal', 'list'])
  })

  test('a part with other octets is no such file: the URL is asked for again', async () => {
    const cwd = folderWith('@/a\n')
    await run(cwd)
    keepLines(cwd, isNoEnd)
    rmSync(join(cwd, 'a'))
    writeFileSync(join(cwd, 'a.part'), '/x\n')
    expect(await run(cwd)).toMatchObject({ status: 0, asked: ['/a'] })
    expect(content(cwd, 'a')).toBe('/a\n')
  })

  test('an older file that was to be replaced is replaced', async () => {
    const cwd = folderWith('@/a\n')
    await run(cwd)
    keepLines(cwd, isNoEnd)
    renameSync(join(cwd, 'a'), join(cwd, 'a.part'))
    writeFileSync(join(cwd, 'a'), 'old')
    expect(await run(cwd)).toMatchObject({ status: 0, asked: [] })
    expect(content(cwd, 'a')).toBe('/a\n')
  })

  test('an older file is not taken for the new one, whose part is gone: the URL is asked for again', async () => {
    const cwd = folderWith('@/a\n')
    await run(cwd)
    keepLines(cwd, isNoEnd)
    writeFileSync(join(cwd, 'a'), 'older')
    expect(await run(cwd)).toMatchObject({ status: 0, asked: ['/a'] })
    expect(content(cwd, 'a')).toBe('/a\n')
  })

  test('by a power failure: files that lost their octets come again', async () => {
    const cwd = folderWith('@/a\n@/b\n@/c\n')
    await run(cwd)
    // The octets of two files were not yet on the disk.
    writeFileSync(join(cwd, 'a'), '\0\0\0')
    writeFileSync(join(cwd, 'b'), '')
    keepLines(
      cwd,
      () => true,
      (line) => (line.event === 'opened' ? { ...line, boot: 'another' } : line),
    )
    expect(await run(cwd)).toMatchObject({ status: 0, asked: ['/a', '/b'] })
    expect([content(cwd, 'a'), content(cwd, 'b')]).toEqual(['/a\n', '/b\n'])
    expect(await run(cwd)).toMatchObject({ status: 0, asked: [] })
  })
})

describe('the file', () => {
  test('of another running command is refused with its number', async () => {
    const cwd = folderWith('@/a\n')
    held = []
    const child = start([...command, '-s'], { cwd })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    await expect.poll(() => held?.length).toBe(1)
    const { status, stderr, asked: second } = await run(cwd)
    for (const answer of held ?? []) answer()
    await ended
    expect({ status, second }).toEqual({ status: 23, second: [] })
    expect(stderr).toMatch(new RegExp(`journal.lock cannot be written: .*\\(process ${child.pid}\\)`))
    expect(existsSync(join(cwd, 'journal.lock.json'))).toBe(false)
  })

  test('of a killed command is taken over', async () => {
    const cwd = folderWith('@/a\n')
    held = []
    const child = start([...command, '-s'], { cwd })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    await expect.poll(() => held?.length).toBe(1)
    child.kill('SIGKILL')
    await ended
    held = null
    expect(existsSync(join(cwd, 'journal.lock.json'))).toBe(true)
    expect(await run(cwd)).toMatchObject({ status: 0, asked: ['/a'] })
    expect(readdirSync(cwd).toSorted()).toEqual(['a', 'journal', 'list'])
  })

  test('is never one that is no journal', async () => {
    const cwd = folderWith('@/a\n')
    writeFileSync(join(cwd, 'journal'), 'my notes')
    const { status, stderr } = await run(cwd)
    expect({ status, notes: content(cwd, 'journal') }).toEqual({ status: 37, notes: 'my notes' })
    expect(stderr).toContain('journal is no journal of retrieve')
  })

  test('may have a damaged line, which is told', async () => {
    const cwd = folderWith('@/a\n@/b\n')
    await run(cwd)
    writeFileSync(join(cwd, 'journal'), content(cwd, 'journal').replace(/"event":"done"(.*\/b")/, '"event":"do\0\0"$1'))
    rmSync(join(cwd, 'b'))
    const { stderr, asked: again } = await run(cwd)
    expect(again).toEqual(['/b'])
    expect(stderr).toContain('journal has one damaged line, which is ignored')
  })
})

test.each([
  [['--retry-failed', '-O', 'data:,x'], '--retry-failed is for what a journal has: give --journal FILE.'],
  [['--journal', 'j', 'data:,x'], '--journal is for files: give -O, -o FILE, or --output-dir with --from.'],
  [['--journal', 'j', '--from', 'list'], '--journal is for files: give -O, -o FILE, or --output-dir with --from.'],
  [['--journal', '', '-O', 'data:,x'], '--journal needs the name of a file.'],
  [['--journal', 'j', '-C', '-', '-O', 'data:,x'], 'A command with --journal goes on by itself: leave -C out.'],
  [['ls', '--journal', 'j', 'data:,x'], '--journal is not an option of ls'],
])('%j is refused', async (typed, message) => {
  const { status, stderr } = await retrieve(typed, { cwd: outer() })
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})

test('a list without a journal has each URL once, and says so', async () => {
  const cwd = folderWith('@/a\n@/b\n@/./a\n@/a\tother\n')
  const { status, stderr } = await retrieve(['--from', 'list', '-O', '-j', '1'], { cwd })
  expect({ status, asked }).toEqual({ status: 0, asked: ['/a', '/b', '/a'] })
  expect(stderr).toContain(`${base}/./a: skipped: the list has this URL twice`)
  expect(stderr).toContain('4 of 4 (1 repeated);')
  expect(readdirSync(cwd).toSorted()).toEqual(['a', 'b', 'list', 'other'])
})

describe('retrieve journal', () => {
  test('counts by host and reason, and says what is left', async () => {
    statuses = { '/gone': 404, '/full': 503 }
    const cwd = folderWith('@/a\n@/gone\n@/full\n@/b\n')
    await run(cwd, '--retry', '0')
    const killed = (line: Told): boolean => isNoEnd(line) && !(line.event === 'done' && line.file === 'b')
    keepLines(cwd, killed)
    const { status, stdout } = await retrieve(['journal', 'journal'], { cwd })
    expect(status).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('1 of 4 done, 3 B, 1 failed for good, 1 to be tried again, 1 begun, 2 left')
    expect(lines[1]).toMatch(
      /^retrieve get: 1 run in 0:\d\d, \d+ URLs a minute; the last one still runs, or was killed$/,
    )
    expect(lines.slice(3, 7)).toEqual([
      'DONE  FAILED  WAITING  SIZE  HOST',
      `   1       1        1   3 B  ${base.slice('http://'.length)}`,
      '',
      '1 not-found, 1 http-error',
    ])
    expect(lines[7]).toContain(`${base}/gone: The server has no such resource`)
  })

  test.each(['a run that ended', 'a killed run'])('counts nothing as begun that %s had begun', async (what) => {
    const cwd = folderWith('@/a\n@/b\n@/c\n')
    await run(cwd)
    const [opened, ...lines] = linesOf(cwd)
    const begun = lines.filter(({ event }) => event === 'begun')
    const ended = lines.filter(({ event }) => event === 'ended')
    const [a, b] = [begun.slice(0, 1), begun.slice(1, 2)]
    const told = what === 'a killed run' ? [opened, ...begun, opened, ...a, ...b] : [opened, ...begun, ...ended]
    writeFileSync(join(cwd, 'journal'), told.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { stdout } = await retrieve(['journal', '--json', 'journal'], { cwd })
    const { journal } = JSON.parse(stdout)
    const count = what === 'a killed run' ? 2 : 0
    expect([journal.begun, journal.hosts[0].begun, journal.done]).toEqual([count, count, 0])
  })

  test('gives objects with --json, and the failures that are no more are none', async () => {
    statuses = { '/gone': 404, '/late': 404 }
    const cwd = folderWith('@/a\n@/gone\n@/late\n')
    await run(cwd)
    statuses = { '/gone': 404 }
    await run(cwd, '--retry-failed')
    const { stdout } = await retrieve(['journal', '--json', 'journal'], { cwd })
    const [all, ...failures] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const numbers = { done: 2, failed: 1, waiting: 0, begun: 0, octets: 9 }
    expect(all.journal).toMatchObject({
      file: 'journal',
      command: 'get',
      runs: 2,
      end: 'whole',
      urls: 3,
      left: 0,
      ...numbers,
    })
    expect(all.journal).toMatchObject({ codes: { 'not-found': 1 }, hosts: [{ host: base.slice(7), ...numbers }] })
    expect(failures).toMatchObject([{ failed: { url: `${base}/gone`, code: 'not-found', exit: 22, again: null } }])
  })

  test('says that an empty journal has no run', async () => {
    const outcome = await retrieve(['journal', 'list'], { cwd: folderWith('') })
    expect(outcome).toMatchObject({ status: 0, stdout: 'list: no command has written to this journal yet.\n' })
  })

  test('is an error for another file', async () => {
    const { status, stderr } = await retrieve(['journal', 'list'], { cwd: folderWith('@/a\n') })
    expect({ status, stderr }).toMatchObject({
      status: 37,
      stderr: expect.stringContaining('is no journal of retrieve'),
    })
    expect(await retrieve(['journal'])).toMatchObject({ status: 2 })
    // Nor is a device or a FIFO, which may never end.
    if (process.platform !== 'win32') expect(await retrieve(['journal', '/dev/zero'])).toMatchObject({ status: 37 })
  })
})
