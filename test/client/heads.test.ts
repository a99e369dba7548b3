/** RetrieveOptions.onHead and onBody, SaveOptions.before, and functions of the caller that throw. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'

let servers: TestServers<'http'>
const folder = mkdtempSync(join(tmpdir(), 'heads-'))

beforeAll(async () => {
  servers = await startServers({ http: true })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await servers.close()
})

function broken(): never {
  throw new Error('my own')
}

test('onHead gets the sections as they came, and events hide what is secret', async () => {
  const moved = 'HTTP/1.1 302 Found\r\nLocation: /x\r\nSet-Cookie: a=s3cr3t\r\nContent-Length: 0\r\n\r\n'
  const found = 'HTTP/1.1 200 Fine\r\nSet-Cookie: b=s3cr3t\r\nContent-Length: 2\r\n\r\n'
  servers.http.setFaults({ replies: { '/moved': moved, '/x': `${found}ok` } })
  await using client = createClient()
  const heads: string[] = []
  const events: RetrievalEvent[] = []
  const representation = await client.retrieve(`${servers.http.url}moved`, {
    onHead: (octets) => heads.push(octets),
    onEvent: (event) => events.push(event),
  })
  await representation.text()
  expect(heads).toEqual([moved, found])
  expect(JSON.stringify(events)).not.toContain('s3cr3t')
})

test.each(['onHead', 'onBody'] as const)(
  '%s that throws, or rejects, ends the retrieval, and is named',
  async (name) => {
    servers.http.setFaults({ replies: { '/x': 'HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok' }, stall: 'body' })
    await using client = createClient()
    for (const listener of [
      () => {
        throw new Error('my own')
      },
      () => Promise.reject(new Error('my own')),
    ]) {
      const error = await failure(
        client.retrieve(`${servers.http.url}x`, { [name]: listener }).then((got) => got.text()),
      )
      expect(error).toMatchObject({ code: 'aborted', cause: { message: 'my own' } })
      expect(error.message).toContain(`The ${name} listener threw (Error: my own).`)
    }
  },
)

test.each([
  ['proxy', { proxy: () => broken() }],
  ['proxy', { proxy: async () => broken() }],
  ['cookies', { cookies: { cookiesFor: () => broken(), keep: () => {} } }],
  ['cookies', { cookies: { cookiesFor: () => null, keep: async () => broken() } }],
])('a function of %s that throws is named, and no server is blamed', async (name, options) => {
  servers.http.setFaults({ replies: { '/x': 'HTTP/1.1 200 Fine\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nok' } })
  await using client = createClient(options)
  const error = await failure(client.retrieve(`${servers.http.url}x`))
  expect(error).toMatchObject({ code: 'invalid-option', cause: { message: 'my own' } })
  expect(error.message).toContain(`The function of ${name} threw (Error: my own).`)
})

test('`before` stands before the body, and a body that breaks off leaves no part', async () => {
  servers.http.setFaults({
    replies: {
      '/whole': 'HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok',
      '/cut': 'HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\nok',
    },
  })
  await using client = createClient({ limits: { maxRetries: 0 } })
  const before = Buffer.from('head\n')
  const own = mkdtempSync(join(folder, 'before-'))
  const whole = await client.retrieve(`${servers.http.url}whole`)
  await whole.saveTo(join(own, 'whole'), { before })
  expect(readFileSync(join(own, 'whole'), 'latin1')).toBe('head\nok')
  const cut = await client.retrieve(`${servers.http.url}cut`)
  await expect(cut.saveTo(join(own, 'cut'), { before })).rejects.toMatchObject({ code: 'partial' })
  expect(readdirSync(own)).toEqual(['whole'])
  const other = await client.retrieve(`${servers.http.url}whole`)
  await expect(other.saveTo(join(own, 'x'), { before, append: true })).rejects.toMatchObject({
    code: 'invalid-option',
  })
})

test('onBody gets the octets of a body, and the number of the retrieval that events have', async () => {
  servers.http.setFaults({ replies: { '/x': 'HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nok' } })
  await using client = createClient()
  const ids = new Set<number>()
  const bodies: Record<number, string> = {}
  const options: RetrieveOptions = {
    onEvent: ({ id }) => ids.add(id),
    onBody: (octets, id) => {
      bodies[id] = (bodies[id] ?? '') + Buffer.from(octets).toString('latin1')
    },
  }
  await (await client.retrieve(`${servers.http.url}x`, options)).text()
  await client.save(`${servers.http.url}x`, join(folder, 'saved'), options)
  expect(Object.values(bodies)).toEqual(['ok', 'ok'])
  expect(Object.keys(bodies)).toEqual([...ids].map(String))
})
