import { execFileSync } from 'node:child_process'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { entriesOf, expectOctets, failure, retrieveToFile, suite } from './suite.ts'

suite('dictd', (server) => {
  /** The texts between the replies in what curl prints, without dot-stuffing. */
  function byCurl(url: string): string[] {
    const dialogue = execFileSync('curl', ['-s', url], { encoding: 'latin1' })
    const texts = [...dialogue.matchAll(/^1(?:51|52|10|11|12|14) .*\r\n((?:(?!\.\r\n).*\r\n)*)\.\r\n/gm)]
    return texts.map(([, text = '']) => text.replace(/^\.\./gm, '.'))
  }

  test.each([
    'd:url:small:1',
    'd:gold:elements:1',
    'm:ni:elements:prefix',
    'show:db',
    'show:strat',
    'show:info:elements',
  ])('%s: the octets that curl gets', async (path) => {
    const url = server.url('dict', `/${path}`)
    const [text = ''] = byCurl(url)
    expect(text.length).toBeGreaterThan(10)
    expectOctets(await retrieveToFile(url), Buffer.from(text, 'latin1'))
  })

  test('definitions name their databases', async () => {
    const text = (await retrieveToFile(server.url('dict', '/d:gold:*'))).toString()
    expect(text).toMatch(/^From The Elements \(07Nov00\) \[elements\]:\r\n\r\ngold\r\n/)
  })

  test('matches and databases lead on', async () => {
    const databases = await entriesOf(server.url('dict', '/'))
    expect(databases.map(({ name }) => name)).toEqual(['elements', 'small'])
    const [match] = await entriesOf(server.url('dict', '/m:gol:elements:prefix'))
    expect(match).toMatchObject({ name: 'gold', url: server.url('dict', '/d:gold:elements') })
    expect((await retrieveToFile(match?.url ?? '')).toString()).toContain('Symbol: Au')
  })

  test('a word that it does not have', async () => {
    expect(await failure(78, server.url('dict', '/d:none'))).toContain('552')
  })

  test('a login by AUTH', async () => {
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    const url = server.url('dict', '/d:url:small:1', { user: 'alice;AUTH', offset: 1 })
    expect(await (await client.retrieve(url)).text()).toBe('url\r\n  Grüße.\r\n')
    await using wrong = createClient({ credentials: () => ({ user: 'alice', password: 'wrong' }) })
    await expect(wrong.retrieve(url)).rejects.toMatchObject({ code: 'auth-failed' })
  })
})
