/** Archives that are broken off, several files of one, and the index. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CDXIndexer } from 'warcio'
import { archivesIn, readArchive } from '../../support/cli/archives.ts'
import { bin, cleanEnv, retrieve, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()

/** Longer than what stays in memory. */
const large = randomBytes(1_000_000)
const server = createServer(({ url = '' }, response) => {
  if (url === '/endless') response.write(large)
  else response.end(url === '/large' ? large : `this is ${url}`)
})
let base = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const newFolder = (): string => mkdtempSync(join(outer(), 'warc-'))
const types = async (file: string): Promise<string[]> => (await readArchive(file)).map(({ type }) => type)

/** The file without a name in which a process keeps a body; null if there is none. */
function spoolOf({ pid }: ChildProcess): { readonly mode: number; readonly size: number } | null {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`)
  const spool = descriptors.find((path) => /\.warc-\d+-\d+\.tmp \(deleted\)$/.test(readlinkSync(path)))
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

test('a large body is kept', async () => {
  const cwd = newFolder()
  expect((await retrieve(['--warc', 'x', '-o', 'a', `${base}/large`], { cwd })).status).toBe(0)
  const [file = ''] = archivesIn(cwd)
  expect(await types(file)).toEqual(['warcinfo', 'response', 'request'])
})

test.skipIf(process.platform === 'win32')(
  'a disk that is full: the command fails, and what was archived before stays',
  async () => {
    const cwd = newFolder()
    const args = ['-s', '-S', '--warc', 'x', '-o', '/dev/null', `${base}/a`, '-o', '/dev/null', `${base}/large`]
    const script = ['-c', 'ulimit -f 400; exec "$@"', 'bash', process.execPath, bin, ...args]
    const child = spawn('bash', script, { cwd, env: cleanEnv, stdio: ['ignore', 'ignore', 'pipe'] })
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ status, stderr }).toMatchObject({ status: 23, stderr: expect.stringMatching(/\.tmp cannot be written/) })
    expect(await types(archivesIn(cwd)[0] ?? '')).toEqual(['warcinfo', 'response', 'request'])
  },
)

test('--warc-max-size: each file begins with a description', async () => {
  const cwd = newFolder()
  await retrieve(['--warc', 'x', '--warc-max-size', '1', `${base}/a`, `${base}/b`], { cwd })
  const files = archivesIn(cwd)
  expect(files.map((file) => /-\d{14}-(\d+)\.warc\.gz$/.exec(file)?.[1])).toEqual(['00000', '00001'])
  for (const file of files) expect(await types(file)).toEqual(['warcinfo', 'response', 'request'])
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
