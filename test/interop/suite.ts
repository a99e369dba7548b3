/** Shared by the tests of every mechanism: a suite around one real server, and the command as a user runs it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ClientOptions, createClient, type Entry } from '@retriever/fetchers'
import type { RequestOptions } from '@retriever/fetchers/internal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesOf as read } from '../support/entries.ts'
import { missing, type RealServer, startRealServer } from './real-server.ts'

export { failure as errorOf } from '../support/failure.ts'
export { expectSame as expectOctets } from '../support/octets.ts'

/** A server while its suite runs: its address, and the octets of its seed files. */
export interface ServerUnderTest {
  /**
   * `url('ftp', '/pub/x')`. `user` stands before the host; `offset` chooses another of eight ports, of which those that
   * the server's script does not name are closed.
   */
  url(scheme: string, path: string, more?: { offset?: number; user?: string }): string
  port(): number
  /** Where a file is, by its path below the server's work directory; likewise `seed`, what it holds. */
  path(file: string): string
  seed(file: string): Promise<Buffer>
}

/** Runs the tests against servers/NAME.sh; says why not where it is not installed. */
export function suite(name: string, tests: (server: ServerUnderTest) => void): void {
  suiteOf([name], (servers) => tests(servers[name] ?? expect.fail(name)))
}

/** As suite, against several servers that run together. */
export function suiteOf<const Names extends readonly string[]>(
  names: Names,
  tests: (servers: Readonly<Record<Names[number], ServerUnderTest>>) => void,
): void {
  const title = names.join(' + ')
  const reasons = names.flatMap((name) => missing(name) ?? [])
  if (reasons.length > 0) {
    describe(title, () => {
      test('is installed', ({ skip }) => {
        const reason = reasons.join('; ')
        // The note is what the reporter prints.
        if (process.env.RETRIEVER_INTEROP !== 'required') skip(reason)
        expect.fail(reason)
      })
    })
    return
  }
  describe(title, () => {
    const running = new Map<string, RealServer>()
    beforeAll(async () => {
      // One after the other: each takes ports that are free once the one before answers.
      for (const name of names) running.set(name, await startRealServer(name))
    })
    afterAll(async () => void (await Promise.all([...running.values()].map((server) => server.stop()))))
    const under = names.map((name) => [
      name,
      underTest(() => running.get(name) ?? expect.fail(`${name} is not running`)),
    ])
    tests(Object.fromEntries(under))
  })
}

function underTest(server: () => RealServer): ServerUnderTest {
  return {
    url: (scheme, path, { offset = 0, user = '' } = {}) =>
      `${scheme}://${user && `${user}@`}127.0.0.1:${server().port + offset}${path}`,
    port: () => server().port,
    path: (file) => join(server().dir, file),
    seed: (file) => readFile(join(server().dir, file)),
  }
}

export interface Outcome {
  readonly status: number
  readonly stdout: Buffer
  readonly stderr: string
}

const bin = fileURLToPath(new URL('../../packages/cli/dist/bin.js', import.meta.url))

/** `retrieve ARGUMENTS`, the built command in a process of its own, without the caller's proxy settings. */
export function retrieve(...args: string[]): Promise<Outcome> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/_proxy$|^retriever_/i.test(key)))
  const options = { env: { ...env, NO_COLOR: '1' }, encoding: 'buffer', maxBuffer: 2 ** 26, timeout: 60_000 } as const
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [bin, ...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code
      if (typeof status !== 'number') return reject(error)
      resolve({ status, stdout, stderr: stderr.toString() })
    })
  })
}

/** Retrieves to a file with -o, expects success and silence, and returns what the file holds. */
export async function retrieveToFile(url: string, ...options: string[]): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'retrieve-'))
  try {
    const file = join(dir, 'representation')
    const { status, stdout, stderr } = await retrieve('-s', '-S', '-o', file, ...options, url)
    expect({ status, stdout: stdout.toString(), stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
    return await readFile(file)
  } finally {
    await rm(dir, { recursive: true })
  }
}

/**
 * Expects the command to fail at once with this exit status, nothing on stdout, and one line on stderr, which it
 * returns.
 */
export async function failure(status: number, ...args: string[]): Promise<string> {
  const outcome = await retrieve('--retry', '0', ...args)
  expect({ ...outcome, stdout: outcome.stdout.toString() }).toMatchObject({ status, stdout: '' })
  expect(outcome.stderr).toMatch(/^[^\n]+\n$/)
  return outcome.stderr
}

/** The entries of a listing, by the library. */
export async function entriesOf(url: string, options?: ClientOptions, request?: RequestOptions): Promise<Entry[]> {
  await using client = createClient(options)
  const representation = await client.retrieve(url, request)
  expect(representation.kind).toBe('listing')
  return await read(representation)
}

/** A client that takes the server's certificate for its own CA. */
export async function trusting(server: ServerUnderTest, certificate = 'cert.pem'): Promise<ClientOptions> {
  return { tls: { ca: (await server.seed(certificate)).toString() } }
}
