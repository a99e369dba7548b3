import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers({ files: { '/pub/wanted.txt': 'needle in hay\u00e4\n', '/pub/other.txt': 'hay\n' } })
})
afterAll(() => servers.close())

test('--search asks a search for the words', async () => {
  const { status, stdout } = await retrieve(['--search', 'needle hay', `${servers.gopher.url}7/search`])
  expect(status).toBe(0)
  expect(stdout).toContain('\t/pub/wanted.txt\t')
  expect(stdout).not.toContain('other.txt')
  expect(servers.gopher.received.at(-1)).toBe('/search\tneedle hay')
})

test('ls too', async () => {
  const { stdout } = await retrieve(['ls', '--json', '--search', 'needle', `${servers.gopher.url}7/search`])
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject({ name: 'wanted.txt' })
})

test.each([
  ['gopher://h/7/s', 'two words', 'gopher://h/7/s%09two%20words', '/s\\ttwo words\\r\\n'],
  ['gophers://h/7/s', 'a', 'gophers://h/7/s%09a', '/s\\ta\\r\\n'],
  ['gopher://h/7/s%09', 'a', 'gopher://h/7/s%09a', '/s\\ta\\r\\n'],
  ['gopher://h/7/s%09%09+', 'a', 'gopher://h/7/s%09a%09+', '/s\\ta\\t+\\r\\n'],
  ['gopher://h/2', 'ann lee', 'gopher://h/2%09ann%20lee', 'query ann lee\\r\\n'],
  // Characters with a meaning in URLs belong to the text.
  ['gopher://h/7/s', '50% ?#+&/', 'gopher://h/7/s%0950%25%20%3F%23%2B%26%2F', '/s\\t50% ?#+&/\\r\\n'],
  ['gopher://h/7/s', '\u00e4', 'gopher://h/7/s%09%C3%A4', '/s\\t\\xc3\\xa4\\r\\n'],
])('explain %s --search %j', async (url, text, means, sends) => {
  const { status, stdout } = await retrieve(['explain', '--search', text, url])
  expect(status).toBe(0)
  expect(stdout.split('\n')[0]).toBe(means)
  expect(stdout).toContain(`\n  sends    ${sends}\n`)
})

test.each([
  ['wais://h/poems', 'two words', 'wais://h/poems?two%20words', 'search "two words"'],
  ['wais://h/poems?', '50% ?#+&/', 'wais://h/poems?50%25%20%3F%23%2B%26%2F', 'search "50% ?#+&/"'],
])('explain %s --search %j searches a WAIS database', async (url, text, means, search) => {
  const { status, stdout } = await retrieve(['explain', '--search', text, url])
  expect(status).toBe(0)
  expect(stdout.split('\n')[0]).toBe(means)
  expect(stdout).toContain(`database "poems", ${search}\n`)
})

test('a relative URL is searched from its base', async () => {
  const { stdout } = await retrieve(['explain', '--base', 'gopher://h/1/', '--search', 'a', '/7/s'])
  expect(stdout.split('\n')[0]).toBe('gopher://h/7/s%09a')
})

describe('nothing is sent where it makes no sense (threats.md case 70)', () => {
  test.each([
    ['gopher://h/7/s', '', '--search needs words to search for.'],
    ['gopher://h/7/s', '\t', '--search needs words on one line: TAB, CR, LF and NUL cannot be sent.'],
    ['gopher://h/7/s', '\r', '--search needs words on one line: TAB, CR, LF and NUL cannot be sent.'],
    ['gopher://h/7/s', '\n', '--search needs words on one line: TAB, CR, LF and NUL cannot be sent.'],
    ['gopher://h/7/s', 'a\tb\r\n', '--search needs words on one line: TAB, CR, LF and NUL cannot be sent.'],
    ['gopher://h/7/s%09b', 'a', 'gopher://h/7/s%09b has a search already: leave --search out, or give gopher://h/7/s.'],
    [
      'gopher://h/7/s%09b%09+',
      'a',
      'gopher://h/7/s%09b%09+ has a search already: leave --search out, or give gopher://h/7/s%09%09+.',
    ],
    [
      'gopher://h/1/m%20n',
      'a',
      'gopher://h/1/m%20n is no search: it is a menu (type 1). If its selector can be searched, give gopher://h/7/m%20n.',
    ],
    [
      'gopher://h',
      'a',
      'gopher://h is no search: it is a menu (type 1). If its selector can be searched, give gopher://h/7.',
    ],
    [
      'gopher://h/0/t',
      'a',
      'gopher://h/0/t is no search: it is of type 0, and searches are of type 7 or 2. Give the URL of a search.',
    ],
    ['wais://h/db?b', 'a', 'wais://h/db?b has a search already: leave --search out.'],
    [
      'http://h/',
      'a',
      '--search is for searches of Gopher (types 7 and 2), Gemini, WAIS and Z39.50 servers, and http://h/ is none: leave --search out.',
    ],
  ])('%s --search %j', async (url, text, message) => {
    for (const command of ['get', 'ls']) {
      expect(await retrieve([command, '--search', text, url])).toEqual({
        status: 2,
        stdout: '',
        stderr: `retrieve: ${message}\n`,
      })
    }
    const explained = await retrieve(['explain', '--search', text, url])
    expect(explained.status).toBe(2)
    expect(explained.stdout + explained.stderr).toContain(message)
  })

  test('a password in the URL is not told', async () => {
    const { stderr } = await retrieve(['--search', 'a', 'ftp://u:secret@h/'])
    expect(stderr).toContain('leave --search out')
    expect(stderr).not.toContain('secret')
  })
})
