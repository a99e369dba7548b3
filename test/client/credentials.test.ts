import type { RetrievalError } from '@retriever/core'
import { type Challenge, type ClientOptions, createClient } from '@retriever/fetchers'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'

let servers: TestServers<'ftp' | 'http' | 'nntp'>

beforeAll(async () => {
  servers = await startServers({ ftp: true, http: true, nntp: { auth: 'required' } })
})

afterAll(() => servers.close())

/** URLs for which each mechanism's server wants a password; the user is gr%C3%BCn. */
const wanting: readonly (readonly [mechanism: 'ftp' | 'http' | 'nntp', path: string])[] = [
  ['ftp', 'readme.txt'],
  ['http', 'auth/'],
  ['nntp', 'retriever.test/1'],
]

async function failureOf(
  mechanism: 'ftp' | 'http' | 'nntp',
  path: string,
  credentials: (challenge: Challenge) => unknown,
  signal?: AbortSignal,
): Promise<RetrievalError> {
  await using client = createClient({ credentials } as ClientOptions)
  const url = `${servers[mechanism].url.replace('//', '//gr%C3%BCn@')}${path}`
  const reason = await failure(client.retrieve(url, signal ? { signal } : {}))
  await client.close()
  await servers[mechanism].waitForConnections(0)
  return reason
}

describe.each(wanting)('%s asks for a login', (mechanism, path) => {
  test('in text, and sends what comes as UTF-8', async () => {
    const asked: Challenge[] = []
    const error = await failureOf(mechanism, path, (challenge) => {
      asked.push(challenge)
      return { user: 'grün', password: '€', account: 'unasked' }
    })
    expect(asked.map(({ user }) => user)).toEqual(['grün'])
    expect(asked[0]?.realm).not.toContain('Ã')
    expect(servers[mechanism].received.join('\n')).not.toContain('unasked')
    // The HTTP server notes request lines alone.
    if (mechanism !== 'http') {
      expect(servers[mechanism].received.join('\n')).toContain(Buffer.from('PASS €').toString('latin1'))
    }
    expect(error.code).toBe('auth-failed')
  })

  test('and does not wait once the retrieval is aborted', async () => {
    const abort = new AbortController()
    const never = (): Promise<never> => {
      abort.abort()
      return new Promise(() => {})
    }
    expect(await failureOf(mechanism, path, never, abort.signal)).toMatchObject({ code: 'aborted' })
  })

  const wrong: readonly (readonly [unknown])[] = [
    ['s3cr3t'],
    [{ user: 's3cr3t' }],
    [{ user: 1, password: 's3cr3t' }],
    [{ user: 's3cr3t', password: 's3cr3t', account: 1 }],
    [{ user: 's3cr3t', password: 's3cr3t', account: null }],
  ]
  test.each(wrong)('and refuses %j', async (answer) => {
    const error = await failureOf(mechanism, path, () => answer)
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining('{ user, password }') })
    expect(error.message).not.toContain('s3cr3t')
  })

  test('and keeps what the asking threw', async () => {
    const cause = new Error('no agent')
    const thrown = await failureOf(mechanism, path, () => {
      throw cause
    })
    expect(thrown).toMatchObject({ code: 'auth-required', cause })
  })
})
