/** Archives that are broken off or damaged, several files of one, and the index. */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { CDXIndexer } from 'warcio'
import { archivesIn, readArchive } from '../../support/cli/archives.ts'
import { listServer } from '../../support/cli/list-server.ts'
import { bin, cleanEnv, retrieve, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()

/** Longer than what stays in memory. */
const large = randomBytes(1_000_000)
const server = listServer(({ url = '' }, response) => {
  if (url === '/endless') response.write(large)
  else response.end(url === '/large' ? large : url.startsWith('/octets/') ? octets(url) : `this is ${url}`)
})
/** So many of them as the path says, which no compression makes fewer. */
const octets = (path: string): Buffer => large.subarray(0, Number(path.slice('/octets/'.length)))
let base = ''
beforeAll(() => {
  base = server()
})

const newFolder = (): string => mkdtempSync(join(outer(), 'warc-'))
const types = async (file: string): Promise<string[]> => (await readArchive(file)).map(({ type }) => type)

/** The file without a name in which a process keeps a body; null if there is none. */
function spoolOf({ pid }: ChildProcess): { readonly mode: number; readonly size: number } | null {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`)
  const spool = descriptors.find((path) => /\.warc-[\da-f]+-\d+\.tmp \(deleted\)$/.test(readlinkSync(path)))
  if (spool === undefined) return null
  const { mode, size } = statSync(spool)
  return { mode: mode & 0o777, size }
}

describe.skipIf(process.platform !== 'linux')('a command that ends in the middle of a body', () => {
  test.each([
    ['SIGKILL', null],
    ['SIGINT', 130],
  ] as const)('by %s', async (signal, status) => {
    const cwd = newFolder()
    const child = start(['--warc', 'x', '-o', 'a', `${base}/a`, '-o', 'b', `${base}/endless`], { cwd })
    await expect.poll(() => spoolOf(child)?.size ?? 0).toBeGreaterThan(large.length / 2)
    expect(spoolOf(child)?.mode).toBe(0o600)
    expect(readdirSync(cwd).filter((name) => name.startsWith('.warc'))).toEqual([])
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([status, status === null ? signal : null])
    expect(await types(archivesIn(cwd)[0] ?? '')).toEqual(['warcinfo', 'response', 'request'])
    expect((await retrieve(['-s', '--warc', 'x', `${base}/a`], { cwd })).status).toBe(0)
    expect(archivesIn(cwd)).toHaveLength(2)
  })
})

test.skipIf(process.platform === 'win32')(
  'a process of the same number, on another machine, may share the folder',
  async () => {
    const cwd = newFolder()
    const words = ['--warc', 'x', '-o', 'a', `${base}/large`]
    const script = 'touch ".warc-$$-1.tmp" && exec "$@"'
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, bin, ...words], { cwd, env: cleanEnv })
    expect(await once(child, 'exit')).toEqual([0, null])
  },
)

test('a large body is read back as it came', async () => {
  const cwd = newFolder()
  expect((await retrieve(['--warc', 'x', '-o', 'a', `${base}/large`], { cwd })).status).toBe(0)
  const [file = ''] = archivesIn(cwd)
  expect(await types(file)).toEqual(['warcinfo', 'response', 'request'])
  expect((await retrieve(['--from-warc', file, '-o', 'b', `${base}/large`], { cwd })).status).toBe(0)
  expect(readFileSync(join(cwd, 'b')).equals(large)).toBe(true)
})

describe('a damaged file', () => {
  const urls = ['a', 'b', 'c'].map((name) => `/${name}`)
  let whole: Buffer
  let index: readonly { readonly url: string; readonly offset: number; readonly length: number }[]
  beforeAll(async () => {
    const cwd = newFolder()
    await retrieve(['--warc', 'x', ...urls.map((url) => base + url)], { cwd })
    const [file = ''] = archivesIn(cwd)
    whole = readFileSync(file)
    const lines = readFileSync(file.replace('.warc.gz', '.cdxj'), 'utf8').trimEnd().split('\n')
    const facts = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))))
    index = facts.map(({ url, offset, length }) => ({ url, offset: Number(offset), length: Number(length) }))
  })

  test('cut anywhere: all whole answers are listed, and nothing else', async () => {
    const cwd = newFolder()
    expect(index.map(({ url }) => url)).toEqual(urls.map((url) => base + url))
    for (let end = whole.length - 1; end > 0; end -= 61) {
      writeFileSync(join(cwd, 'cut.warc.gz'), whole.subarray(0, end))
      const { status, stdout } = await retrieve(['ls', '--json', 'cut.warc.gz'], { cwd })
      const listed = stdout.split('\n').filter((line) => line !== '')
      const offsets = listed.map((line) => JSON.parse(line).details.offset)
      const certain = index.filter(({ offset, length }) => offset + length <= end).map(({ offset }) => offset)
      expect({ end, status, offsets: offsets.slice(0, certain.length) }).toEqual({ end, status: 0, offsets: certain })
      expect(offsets.every((offset) => offset < end)).toBe(true)
    }
  })

  test('before the damage: all answers, with their facts', async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'x.warc.gz'), whole)
    const { status, stdout, stderr } = await retrieve(['ls', '--json', 'x.warc.gz'], { cwd })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries).toMatchObject(
      index.map(({ url, offset }) => ({
        ...{ name: url, url, size: 'this is /a'.length, modified: expect.stringMatching(/^20\d\d-.*Z$/) },
        details: { type: 'response', status: 200, offset, digest: expect.stringMatching(/^sha256:/) },
      })),
    )
  })

  test('cut in an answer: a warning says so', async () => {
    const cwd = newFolder()
    const { offset = 0, length = 0 } = index[1] ?? {}
    writeFileSync(join(cwd, 'cut.warc.gz'), whole.subarray(0, offset + length - 40))
    const { status, stdout, stderr } = await retrieve(['ls', 'cut.warc.gz'], { cwd })
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'retrieve: warning: cut.warc.gz is cut or damaged behind the last answer that is listed.\n',
    })
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/ {2}1 {2}file .* 200 response {2}.*\/a$/)
    const missing = await retrieve(['--from-warc', 'cut.warc.gz', `${base}/c`], { cwd })
    expect(missing.stderr).toContain('cut.warc.gz (cut or damaged) has no answer to this URL')
  })

  test('an octet was changed: the body is not given as a whole', async () => {
    const cwd = newFolder()
    const { offset = 0, length = 0 } = index[1] ?? {}
    const damaged = Buffer.from(whole)
    damaged[offset + length - 20] = (damaged[offset + length - 20] ?? 0) ^ 0x10
    writeFileSync(join(cwd, 'x.warc.gz'), damaged)
    const { status } = await retrieve(['--from-warc', 'x.warc.gz', `${base}/b`], { cwd })
    expect(status).not.toBe(0)
  })

  test('no archive at all', async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'x.warc'), 'hello\n\nworld\n')
    expect(await retrieve(['ls', 'no.warc'], { cwd })).toMatchObject({ status: 37, stdout: '' })
    expect(await retrieve(['ls', 'x.warc'], { cwd })).toEqual({
      status: 37,
      stdout: '',
      stderr: 'retrieve: x.warc cannot be read: it is no web archive (WARC).\n',
    })
  })
})

test.skipIf(process.platform === 'win32')(
  'a disk that is full: the command fails, what was archived before stays, and nothing comes behind it',
  async () => {
    const cwd = newFolder()
    const urls = ['a', 'large', 'b'].flatMap((name) => ['-o', '/dev/null', `${base}/${name}`])
    const args = ['-s', '-S', '--warc', 'x', ...urls]
    const script = ['-c', 'ulimit -f 400; exec "$@"', 'bash', process.execPath, bin, ...args]
    const child = spawn('bash', script, { cwd, env: cleanEnv, stdio: ['ignore', 'ignore', 'pipe'] })
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ status, stderr }).toMatchObject({ status: 23, stderr: expect.stringMatching(/\.tmp cannot be written/) })
    expect(await types(archivesIn(cwd)[0] ?? '')).toEqual(['warcinfo', 'response', 'request'])
  },
)

test.skipIf(process.platform === 'win32')(
  'a disk with room for an answer, but not its request, keeps neither',
  async () => {
    const cwd = newFolder()
    const archive = (name: string, count: number, limit: string): ChildProcess => {
      const args = [
        '-s',
        '-S',
        '--warc',
        name,
        '-o',
        '/dev/null',
        `${base}/a`,
        '-o',
        '/dev/null',
        `${base}/octets/${count}`,
      ]
      const script = ['-c', `ulimit -f ${limit}; exec "$@"`, 'bash', process.execPath, bin, ...args]
      return spawn('bash', script, { cwd, env: cleanEnv, stdio: 'ignore' })
    }
    const indexOf = (name: string): string[] => {
      const index = archivesIn(cwd).find((path) => basename(path).startsWith(`${name}-`))
      return readFileSync(`${index}`.replace('.warc.gz', '.cdxj'), 'utf8').split('\n')
    }
    expect(await once(archive('x', 3000, 'unlimited'), 'exit')).toEqual([0, null])
    const [, length, offset] = /"length":"(\d+)","offset":"(\d+)"/.exec(indexOf('x')[1] ?? '') ?? []
    const end = Number(offset) + Number(length)
    const blocks = Math.ceil(end / 1024)
    // A request has some 300 octets.
    expect(await once(archive('y', 3000 + blocks * 1024 - end - 100, `${blocks}`), 'exit')).toEqual([23, null])
    expect(await types(archivesIn(cwd)[1] ?? '')).toEqual(['warcinfo', 'response', 'request'])
    expect(indexOf('y')).toEqual([expect.stringContaining(`${base}/a`), ''])
  },
)

test('--warc-max-size: each file begins with a description, and both answer', async () => {
  const cwd = newFolder()
  await retrieve(['--warc', 'x', '--warc-max-size', '1', `${base}/a`, `${base}/b`], { cwd })
  const files = archivesIn(cwd)
  expect(files.map((file) => /-\d{14}-(\d+)\.warc\.gz$/.exec(file)?.[1])).toEqual(['00000', '00001'])
  for (const file of files) expect(await types(file)).toEqual(['warcinfo', 'response', 'request'])
  const from = files.flatMap((file) => ['--from-warc', file])
  expect((await retrieve([...from, `${base}/a`, `${base}/b`], { cwd })).stdout).toBe('this is /athis is /b')
})

test('two commands that begin at the same time write two archives', async () => {
  const cwd = newFolder()
  await Promise.all(['a', 'b'].map((name) => retrieve(['--warc', 'x', `${base}/${name}`], { cwd })))
  expect(await Promise.all(archivesIn(cwd).map(types))).toEqual(Array(2).fill(['warcinfo', 'response', 'request']))
})

test('the index is that of warcio', async () => {
  const cwd = newFolder()
  await retrieve(['--warc', 'x', `${base}/a?q=1&b`, `${base}/a?q=1&b`, `${base}/large`, '-o', '/dev/null'], { cwd })
  const [file = ''] = archivesIn(cwd)
  const indexer = new CDXIndexer({ format: 'cdxj' })
  const lines: string[] = []
  const files = [{ filename: basename(file), reader: createReadStream(file) }]
  for await (const line of indexer.iterIndex(files)) lines.push(indexer.serializeCDXJ(line))
  expect(lines).toHaveLength(3)
  expect(readFileSync(file.replace('.warc.gz', '.cdxj'), 'utf8')).toBe(lines.join(''))
})
