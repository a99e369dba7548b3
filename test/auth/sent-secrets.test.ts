/** Which words of an answer are masked, since the request has sent them. */
import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'

/** The reason phrase of an answer, as the error shows it. */
async function shown(phrase: string, request: RetrieveOptions): Promise<string | undefined> {
  await using server = await scriptedHttp(() => `HTTP/1.1 500 ${phrase}\r\nContent-Length: 0\r\n\r\n`)
  await using client = createClient({ limits: { maxRetries: 0 } })
  return (await failure(client.retrieve(server.url, request))).reply
}

const bearer = (token: string): RetrieveOptions => ({ headers: { Authorization: `Bearer ${token}` } })

test.each<[string, string, RetrieveOptions]>([
  ['no abcd here', 'no <password> here', bearer('abcd')],
  ['no abc here, it would betray itself', 'no abc here, it would betray itself', bearer('abc')],
  ['Bearer abcdef', '<password>', bearer('abcdef')],
  ['after two blanks: abcdef', 'after two blanks: <password>', bearer(' abcdef')],
  ['abcd, abcdefgh', '<password>, <password>', { headers: { 'X-Token': 'abcd', Authorization: 'Bearer abcdefgh' } }],
  ['pass:word', '<password>', { login: { user: 'alice', password: 'pass:word' } }],
  ['alice has a user', 'alice has a user', { login: { user: 'alice', password: 'pass:word' } }],
  ['text/plain is none', 'text/plain is none', { headers: { Accept: 'text/plain' } }],
])('%s', async (phrase, expected, request) => {
  expect(await shown(phrase, request)).toBe(`500 ${expected}`)
})
