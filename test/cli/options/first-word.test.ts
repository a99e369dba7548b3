/** A first word that is nearly a command is refused, and nothing is contacted. */
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()
let servers: TestServers<'http'>

beforeAll(async () => {
  servers = await startServers({ http: true })
})
afterAll(() => servers.close())

test.each([
  ['exlpain', 'explain'],
  ['EXPLAIN', 'explain'],
  ['fetch', 'get'],
  ['download', 'get'],
  ['list', 'ls'],
  ['lst', 'ls'],
  ['extrct', 'extract'],
  ['hlep', 'help'],
  ['HELP', 'help'],
])('retrieve %s URL contacts nobody, and says that %s was probably meant', async (word, meant) => {
  const url = `${servers.http.url}pub/hello.txt`
  const before = servers.http.accepted
  expect(await retrieve([word, url])).toEqual({
    status: 2,
    stdout: '',
    stderr: `retrieve: There is no command ${word}. Did you mean: retrieve ${meant} ${url}\n`,
  })
  expect(servers.http.accepted).toBe(before)
})

test.each(['archive', 'save-page', 'Browse'])('retrieve %s URL, where the word is near no command', async (word) => {
  const before = servers.http.accepted
  expect(await retrieve([word, `${servers.http.url}pub/hello.txt`])).toEqual({
    status: 2,
    stdout: '',
    stderr: `retrieve: There is no command ${word}. retrieve --help lists all. If ${word} is a host, write http://${word}/.\n`,
  })
  expect(servers.http.accepted).toBe(before)
})

test('localhost is a host, not a command', async () => {
  const { stderr } = await retrieve(['--retry', '0', 'localhost', 'x:y'])
  expect(stderr).not.toContain('There is no command')
})

test('the proposed command can be pasted into a shell', async () => {
  const { stderr } = await retrieve(['fetch', 'http://h.example/?a=1&b=$(x)', 'http://h.example/'])
  expect(stderr).toBe(
    "retrieve: There is no command fetch. Did you mean: retrieve get 'http://h.example/?a=1&b=$(x)' ...\n",
  )
})

test('such a word is a relative reference where there is a base, and an operand behind a command', async () => {
  const base = await retrieve(['--base', `${servers.http.url}pub/`, 'lst'])
  expect(base).toMatchObject({ status: 22 })
  expect((await retrieve(['explain', 'fetch'])).stderr).not.toContain('There is no command')
})

describe('retrieve help', () => {
  test.each([
    [['help'], ['--help']],
    [
      ['help', 'get'],
      ['get', '--help'],
    ],
    [
      ['help', 'explain'],
      ['explain', '--help'],
    ],
  ])('%j is %j', async (typed, same) => {
    const { status, stdout } = await retrieve(typed)
    expect({ status, stdout }).toEqual({ status: 0, stdout: (await retrieve(same)).stdout })
  })

  test.each([
    [['help', 'gte'], 'There is no help on gte. Did you mean: retrieve help get?'],
    [['help', 'http://h.example/'], 'There is no help on http://h.example/. retrieve help category lists the topics.'],
  ])('%j', async (typed, message) => {
    expect(await retrieve(typed)).toEqual({ status: 2, stdout: '', stderr: `retrieve: ${message}\n` })
  })
})
