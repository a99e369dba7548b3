/** Lists with hosts that are slow, or in trouble. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { bin, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

async function listening(answer: RequestListener, host = '127.0.0.1', port = 0) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    /** Resolves when the port is free. */
    close() {
      server.closeAllConnections()
      return new Promise<unknown>((resolve) => server.close(resolve))
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A new folder for files. */
function target(): string {
  return mkdtempSync(join(folder(), 'saved-'))
}

function listOf(urls: readonly string[]): string {
  const path = join(folder(), 'list')
  writeFileSync(path, urls.join('\n'))
  return path
}

test('a fast host behind 60 URLs of a slow one is asked while those wait', async () => {
  const held: (() => void)[] = []
  let isFast = false
  await using slow = await listening((_, response) => {
    held.push(() => response.end('slow'))
    if (isFast) for (const answer of held.splice(0)) answer()
  })
  await using fast = await listening((_, response) => {
    isFast = true
    response.end('fast')
    for (const answer of held.splice(0)) answer()
  }, '127.0.0.2')
  const urls = Array.from({ length: 60 }, (_, n) => `${slow.url}/${n}`)
  const { status, stderr } = await retrieve(['--from', listOf([...urls, `${fast.url}/`]), '--output-dir', target()])
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^retrieve: 61 of 61;/)
  expect(status).toBe(0)
})

test('a server that restarts costs no URL', async () => {
  let served = 0
  let gone = (): void => {}
  const isGone = new Promise<void>((resolve) => (gone = resolve))
  const answer: RequestListener = (_, response) => {
    response.end('x')
    if (++served === 50) gone()
  }
  const first = await listening(answer)
  const urls = Array.from({ length: 200 }, (_, n) => `${first.url}/${n}`)
  const command = retrieve(['--from', listOf(urls), '--output-dir', target()])
  await isGone
  await first.close()
  // A refused connection shows that the port is closed to the command, too.
  await expect(fetch(first.url)).rejects.toThrow()
  await using _again = await listening(answer, '127.0.0.1', first.port)
  const { status, stderr } = await command
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^retrieve: 200 of 200;/)
  expect(status).toBe(0)
})

test('with as few files as can be open, all URLs of many hosts are saved', async () => {
  const answer: RequestListener = (_, response) => response.end('x')
  const hosts = await Promise.all(Array.from({ length: 100 }, (_, n) => listening(answer, `127.0.3.${n + 1}`)))
  const urls = hosts.map(({ url }, n) => `${url}/${n}`)
  const saved = target()
  const command = [process.execPath, bin, '--from', listOf(urls), '--output-dir', saved]
  // The command has some 25 files open before it begins.
  const { stderr } = await promisify(execFile)('sh', ['-c', 'ulimit -n 50; exec "$0" "$@"', ...command])
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^retrieve: 100 of 100;/)
  expect(readdirSync(saved)).toHaveLength(100)
  await Promise.all(hosts.map((host) => host.close()))
})

test.each([
  [[], 'retrieve: 0 of 9, 9 failed; 0 B in'],
  [['--wait-for-hosts'], 'retrieve: 9 of 9; 9 B in'],
])('a server that fails for longer than its URLs are tried again, with %j', async (options, summary) => {
  let asked = 0
  // Nine URLs are asked for 36 times at most if nobody waits for longer.
  await using busy = await listening((_, response) => {
    response.statusCode = ++asked > 40 ? 200 : 503
    response.end('x')
  })
  const urls = Array.from({ length: 9 }, (_, n) => `${busy.url}/${n}`)
  const rest = ['--output-dir', target(), '--retry-delay', '0.01', ...options]
  const { stderr } = await retrieve(['--from', listOf(urls), ...rest])
  expect(stderr.trim().split('\n').at(-1)).toContain(summary)
})

test.each([
  ['1000', 'given-up'],
  ['60', 'paused'],
])('--json says how a server does that asks to wait for %s s', async (seconds, state) => {
  let asked = 0
  await using full = await listening((_, response) => {
    response.statusCode = 503
    response.setHeader('Retry-After', asked++ === 0 ? '0' : seconds)
    response.end('x')
  })
  await using other = await listening((_, response) => {
    response.statusCode = 404
    response.end()
  })
  const urls = [`${full.url}/1`, `${other.url}/2`]
  const { stdout } = await retrieve(['--json', '--from', listOf(urls), '--output-dir', target(), '--retry', '1'])
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { hostname, port } = new URL(full.url)
  const until = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(lines.find(({ status }) => status === 503)?.server).toEqual({
    ...{ host: hostname, port: Number(port), state, until, failed: 1 },
  })
  expect(lines.find(({ status }) => status === 404)?.server).toBeNull()
})
