/** What the tests of every mechanism share: a suite around one real server, and the command as a user runs it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RetrievalError } from '@retriever/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missing, type RealServer, startRealServer } from './real-server.ts'

/** A server while its suite runs: its address, and the octets of its seed files. */
export interface ServerUnderTest {
  /**
   * `url('ftp', '/pub/x')`. `user` stands before the host; `offset` chooses another of four ports, of which those that
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
  const reason = missing(name)
  if (reason !== undefined) {
    describe(name, () => {
      test('is installed', ({ skip }) => {
        // The note is what the reporter prints.
        if (process.env.RETRIEVER_INTEROP !== 'required') skip(reason)
        expect.fail(reason)
      })
    })
    return
  }
  describe(name, () => {
    let running: RealServer | undefined
    const server = (): RealServer => running ?? expect.fail(`${name} is not running`)
    beforeAll(async () => {
      running = await startRealServer(name)
    })
    afterAll(() => running?.stop())
    tests({
      url: (scheme, path, { offset = 0, user = '' } = {}) =>
        `${scheme}://${user && `${user}@`}127.0.0.1:${server().port + offset}${path}`,
      port: () => server().port,
      path: (file) => join(server().dir, file),
      seed: (file) => readFile(join(server().dir, file)),
    })
  })
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

/** Expects the command to fail with this exit status, nothing on stdout, and one line on stderr, which it returns. */
export async function failure(status: number, ...args: string[]): Promise<string> {
  const outcome = await retrieve(...args)
  expect({ ...outcome, stdout: outcome.stdout.toString() }).toMatchObject({ status, stdout: '' })
  expect(outcome.stderr).toMatch(/^[^\n]+\n$/)
  return outcome.stderr
}

/** The RetrievalError with which a retrieval ends. */
export async function errorOf(promise: Promise<unknown>): Promise<RetrievalError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  return RetrievalError.is(error) ? error : expect.fail(`expected a RetrievalError, got ${String(error)}`)
}

/** toEqual would look at a mebibyte octet by octet, for seconds. */
export function expectOctets(actual: Uint8Array, expected: Buffer): void {
  expect(actual.length).toBe(expected.length)
  expect(expected.equals(actual), 'the same octets').toBe(true)
}
