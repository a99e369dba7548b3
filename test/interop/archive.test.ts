/** An archive of wget, read by us. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { bin, cleanEnv } from '../support/cli/run.ts'

const run = promisify(execFile)

test('wget keeps the frames of chunks, and we leave them out', async ({ skip }) => {
  const isThere = await run('wget', ['--version']).catch(() => null)
  if (isThere === null && process.env.RETRIEVER_INTEROP !== 'required') skip('wget is not installed')
  const cwd = await mkdtemp(join(tmpdir(), 'retriever-archive-'))
  const server = createServer((_, response) => {
    response.write('hello, ')
    response.end('world')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`
  const options = { cwd, env: cleanEnv }
  try {
    await run('wget', ['-q', '--no-config', '--warc-file=site', url], options)
    server.closeAllConnections()
    server.close()
    const { stdout } = await run(process.execPath, [bin, '--from-warc', 'site.warc.gz', url], options)
    expect(stdout).toBe('hello, world')
    const listed = await run(process.execPath, [bin, 'ls', '--json', 'site.warc.gz'], options)
    expect(listed).toMatchObject({ stdout: expect.stringContaining(`"name":"${url}"`), stderr: '' })
  } finally {
    await rm(cwd, { recursive: true })
  }
})
