import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'

const pairs: [string, string][] = [
  ['X-Token', 'a'],
  ['X-List', '1'],
  ['x-list', '2'],
]

describe('the option `headers`', () => {
  test.each([
    ['Headers', new Headers(pairs)],
    ['a list of pairs', pairs],
    [
      'a Map',
      new Map([
        ['X-Token', 'a'],
        ['X-List', '1, 2'],
      ]),
    ],
    ['an object', { 'X-Token': 'a', 'X-List': '1, 2' }],
    ['an object without prototype', Object.assign(Object.create(null), { 'X-Token': 'a', 'X-List': '1, 2' })],
  ])('%s: every field is sent', async (_, headers) => {
    await using server = await scriptedHttp(() => reply(200, {}, 'x'))
    await using client = createClient()
    await (await client.retrieve(server.url, { headers })).text()
    for await (const outcome of client.retrieveAll([server.url], { headers })) await outcome.representation?.text()
    for (const { fields } of server.asked) expect(fields).toMatchObject({ 'x-token': 'a', 'x-list': '1, 2' })
    expect(server.asked).toHaveLength(2)
  })

  test('a tree: each of its requests has the fields of a Map', async () => {
    await using server = await startHttpServer({ files: { '/t/a.txt': 'a', '/t/b/c.txt': 'c' } })
    const folder = await mkdtemp(join(tmpdir(), 'given-fields-'))
    await using client = createClient()
    const { saved } = await client.mirror(`${server.url}t/`, folder, { headers: new Map([['X-Token', 'a']]) })
    expect(saved).toBeGreaterThan(0)
    expect(server.requests.map(({ headers }) => headers?.['x-token'])).toEqual(server.requests.map(() => 'a'))
  })

  test.each([
    ['a Set', new Set(['X-Token: a'])],
    ['a Date', new Date()],
    ['an iterator, which is read only once', pairs.values()],
    ['a list of lines', ['X-Token: a']],
    ['a list of triples', [['X', 'a', 'b']]],
    ['a field that the client sets', new Headers({ Host: 'other' })],
    ['a line break in a Map', new Map([['X', 'a\r\nY: b']])],
    ['text', 'X-Token: a'],
  ])('%s is refused', async (_, headers) => {
    await using client = createClient()
    const options = { headers: headers as Headers }
    await expect(client.retrieve('http://localhost/', options)).rejects.toMatchObject({ code: 'invalid-option' })
    await expect(client.mirror('http://localhost/', '/x', options)).rejects.toMatchObject({ code: 'invalid-option' })
  })
})
