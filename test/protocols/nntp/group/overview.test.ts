import type { NntpServerOptions } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { nntpMetadata } from '../../../support/metadata.ts'
import { commands, expectArticle, list, trial } from '../support/nntp-trial.ts'

describe('an overview', () => {
  test('the newest first, as many as wanted', () =>
    trial({ articles: 5000 }, async ({ server, client, url }) => {
      const newest = await list(client, `${server.url}retriever.many`)
      expect(newest).toHaveLength(1000)
      expect([newest[0]?.url, newest[999]?.url]).toEqual([url(5000), url(4001)])
      const few = await list(client, `${server.url}retriever.many`, 3)
      expect(few.map((entry) => entry.url)).toEqual([url(5000), url(4999), url(4998)])
      expect(commands(server, 'OVER')).toEqual(['OVER 4001-5000', 'OVER 4998-5000'])
    }))

  test.each<[string, readonly number[], number | undefined]>([
    ['10-12', [12, 11, 10], undefined],
    ['198-', [200, 199, 198], undefined],
    ['190-300', [200, 199], 2],
    ['7-7', [7], undefined],
    ['300-400', [], undefined],
  ])('of a range: %s', (range, expected, limit) =>
    trial({}, async ({ server, client, url }) => {
      const entries = await list(client, url(range), limit)
      expect(entries.map(({ details }) => details?.number)).toEqual(expected)
      expect(commands(server, 'OVER')).toHaveLength(expected.length === 0 ? 0 : 1)
    }),
  )

  test.each<[string, NntpServerOptions]>([
    ['a server that keeps none', { overviews: false }],
    ['one of RFC 977', { kind: 'rfc977', overviews: false }],
  ])('of headers, from %s', (_, options) =>
    trial(options, async ({ server, client, url }) => {
      const [entry, ...others] = await list(client, url('150-199'))
      expect(others).toHaveLength(49)
      const [same] = await list(client, url('199-199'))
      expect(entry).toEqual(same)
      expect(entry).toMatchObject({ kind: 'article', url: url(199), details: { number: 199 } })
      expect(entry?.details?.messageId).toBe('many-199@example.net')
      expect(commands(server, 'HEAD')).toHaveLength(51)
      // A command that the server does not know is not sent again.
      expect(commands(server, 'OVER')).toHaveLength(1)
    }),
  )

  test('of headers, given up', () =>
    trial({ overviews: false }, async ({ client, url }) => {
      for await (const _ of (await client.retrieve(url('1-200'))).entries()) break
      await (await client.retrieve(url('1-200'))).cancel()
      await expectArticle(url(1), await (await client.retrieve(url(1))).text())
    }))
})

test('a header is decoded', () =>
  trial({}, async ({ server, client }) => {
    const article = await client.retrieve(`${server.url}retriever.test/4`, { head: true })
    expect(nntpMetadata(article).header).toMatchObject({
      subject: 'Grüße und ein €',
      from: 'Jürgen <juergen@example.net>',
    })
    await article.cancel()
  }))

test('the header alone: HEAD', () =>
  trial({}, async ({ server, client, url }) => {
    const article = await client.retrieve(url(9), { head: true })
    expect(await article.text()).toBe('')
    expect(article.metadata).toMatchObject({ number: 9, header: { newsgroups: 'retriever.many' } })
    expect(commands(server, 'ARTICLE')).toEqual([])
  }))
