/** Options that have no effect are told: one rule for every option of a retrieval and every mechanism. */
import type { Mechanism } from '@retriever/core'
import {
  builtinMechanisms,
  createClient,
  type Fetcher,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import type { Outcome } from '@retriever/fetchers/plugin'
import { startGopherServer, startNntpServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { builtinProtocols } from '../../packages/fetchers/src/protocols/index.ts'
import { remarks } from '../support/events.ts'
import { chunks, retrieved } from '../support/fake-fetcher.ts'
import { body } from '../support/outcome.ts'
import { ownMechanism, ownScheme } from '../support/own-scheme.ts'

/** A URL of each mechanism whose own name is no scheme, or whose URLs are no `//h/x`. */
const others: { readonly [M in Mechanism]?: string } = {
  gopher: 'gopher://h/9x',
  nntp: 'nntp://h/a.b',
  mailto: 'mailto:a@b',
  data: 'data:,x',
  message: 'cid:a@b',
  file: 'file:///x',
  dict: 'dict://h/d:x',
  wais: 'wais://h/d?x',
  z3950: 'z39.50r://h/d?x',
  telnet: 'telnet://h/',
  urn: 'urn:isbn:1',
  ldap: 'ldap://h/',
  pop3: 'pop://h/',
  imap: 'imap://h/',
  mqtt: 'mqtt://h/t',
  man: 'man:x',
  info: 'info:x',
  whatis: 'whatis:x',
  ghelp: 'ghelp:x',
  toc: 'toc:',
  tn3270: 'tn3270://h/',
  mailserver: 'mailserver:a@h',
  prospero: 'prospero://h//x',
}

const urls = builtinMechanisms.map((mechanism) => [mechanism, others[mechanism] ?? `${mechanism}://h/x`] as const)

/** Each option, and which mechanisms do as it asks, of objects and of listings. */
const expected: readonly [RetrieveOptions, objects: readonly Mechanism[], listings: readonly Mechanism[]][] = [
  [{ range: [0, 5] }, ['http', 'ftp', 'sftp', 'nfs', 'file', 'afs'], ['http']],
  [{ resumeFrom: 5 }, ['http', 'ftp', 'sftp', 'nfs', 'file', 'afs'], ['http']],
  [
    { ifChangedSince: new Date() },
    ['http', 'ftp', 'sftp', 'nfs', 'file', 'afs', 'prospero'],
    ['http', 'sftp', 'nfs', 'file', 'afs', 'prospero'],
  ],
  [
    { ifUnchangedSince: new Date() },
    ['http', 'ftp', 'sftp', 'nfs', 'file', 'afs', 'prospero'],
    ['http', 'sftp', 'nfs', 'file', 'afs', 'prospero'],
  ],
  [{ http: { ifNoneMatch: '"x"' } }, ['http'], ['http']],
  [{ accept: 'text/plain' }, ['http', 'gopher', 'z3950'], ['http', 'gopher']],
  [{ acceptLanguage: 'de' }, ['http', 'gopher', 'man', 'ghelp', 'toc'], ['http', 'gopher', 'ghelp', 'toc']],
  [{ form: { a: 'b' } }, ['gopher', 'gemini'], ['gopher', 'gemini']],
  [{ limit: 5 }, [], ['nntp', 'ldap', 'imap', 'wais', 'z3950']],
  [{ wais: { relevantTo: ['wais://h/d/TEXT/x'] } }, [], ['wais']],
  [{ headers: { 'X-A': 'b' } }, ['http', 'ws'], ['http', 'ws']],
  [{ http: { virtualHost: 'www.example.org' } }, ['http'], ['http']],
  [{ http: { autoReferer: true } }, ['http'], ['http']],
  [{ count: 2 }, ['ws', 'mqtt'], ['ws', 'mqtt']],
  [{ jsonMessages: true }, ['ws', 'mqtt'], ['ws', 'mqtt']],
  [{ login: { user: 'a', password: 'b' } }, ['http', 'ws', 'mqtt'], ['http', 'ws', 'mqtt']],
  [{ digest: true }, ['http', 'rtsp', 'ws'], ['http', 'rtsp', 'ws']],
  [{ http: { compressed: true } }, ['http'], ['http']],
  [{ http: { fail: false } }, ['http'], ['http']],
  [{ http: { split: 2 } }, ['http'], ['http']],
  [{ prospero: { followAccess: true } }, ['prospero'], ['prospero']],
]

const everywhere = ['head', 'charset'] as const
const ofTheClient = [
  'signal',
  'use',
  'base',
  'linkedFrom',
  'limits',
  'policy',
  'retryOn',
  'onEvent',
  'onHead',
  'onBody',
] as const

/** The events of a retrieval by a fetcher that ignores its options. */
async function toldBy(fetcher: Partial<Fetcher>, url: string, request: RetrieveOptions, kind: 'object' | 'listing') {
  const events: RetrievalEvent[] = []
  const outcome: Outcome = fetcher.mechanism === 'telnet' ? handoff : retrieved(chunks('x'), { kind })
  const own = { mechanism: 'http', retrieve: async () => outcome, ...fetcher } as Fetcher
  await using client = createClient({ fetchers: [own], schemes: [ownScheme], onEvent: (event) => events.push(event) })
  const opened = await client.open(url, request)
  if ('cancel' in opened) await opened.cancel()
  return remarks(events)
}

const handoff: Outcome = {
  outcome: 'handoff',
  service: 'telnet',
  host: 'h',
  port: 23,
  user: null,
  program: 'telnet',
  args: [],
}

/** The path of the only option. */
function pathOf(request: object): string {
  const [[name, value] = ['', null]] = Object.entries(request)
  return ['http', 'wais', 'prospero'].includes(name) ? `${name}.${pathOf(value)}` : name
}

/** The result of an option that the mechanism passes over. */
function effectOf(option: string): string {
  return option === 'resumeFrom' ? 'gets the resource from its beginning' : 'has no effect'
}

describe.each(urls)('%s', (mechanism, url) => {
  test.each(expected)('%j', async (request, objects, listings) => {
    const option = pathOf(request)
    for (const [kind, honouring] of [
      ['object', objects],
      ['listing', listings],
    ] as const) {
      const isHonoured = (mechanism === 'telnet' ? objects : honouring).includes(mechanism)
      const told = await toldBy({ mechanism }, url, request, kind)
      expect(told).toEqual(
        isHonoured ? [] : [expect.stringContaining(`The option \`${option}\` ${effectOf(option)}: `)],
      )
    }
  })
})

test('every option is in the table', async () => {
  await using client = createClient()
  const unknown = await client.retrieve('http://h/', { unknown: 1 } as never).catch(String)
  const names = /one of ([\w, ]+),/.exec(String(unknown))?.[1]?.split(', ') ?? []
  const tested = new Set(expected.map(([request]) => Object.keys(request)[0] ?? ''))
  expect(names.sort()).toEqual([...tested, ...everywhere, ...ofTheClient].sort())
  const rows = builtinProtocols({ localHosts: [] }).flatMap(({ mechanism, options = {} }) =>
    Object.keys(options).map((name) => `${mechanism}.${name}`),
  )
  const named = expected.map(([request]) => pathOf(request)).filter((path) => path.includes('.'))
  expect(rows.sort()).toEqual(named.sort())
})

test('a value that asks for nothing is not told', async () => {
  const request = { http: { compressed: false, fail: true, split: 1 }, head: false, limit: undefined } as never
  for (const [mechanism, url] of urls) {
    expect(await toldBy({ mechanism }, url, request, 'object')).toEqual([])
  }
})

test('a fetcher of your own says itself what it honours', async () => {
  const request = { limit: 5, accept: 'text/plain' }
  expect(await toldBy({ mechanism: ownMechanism }, 'own://h/x', request, 'object')).toEqual([])
  expect(await toldBy({ mechanism: ownMechanism, honours: ['limit'] }, 'own://h/x', request, 'object')).toEqual([
    'The option `accept` has no effect: own does not support it.',
  ])
  expect(await toldBy({ mechanism: 'ftp', honours: ['limit', 'accept'] }, 'ftp://h/x', request, 'object')).toEqual([])
})

test('a fetcher of your own says for which results it honours an option, and how it is called', async () => {
  const request = { limit: 5, accept: 'text/plain' }
  const own = { mechanism: ownMechanism, title: 'The protocol of ours', honours: { limit: 'listings' } } as const
  const passedOver = 'The option `accept` has no effect: The protocol of ours does not support it.'
  expect(await toldBy(own, 'own://h/x', request, 'listing')).toEqual([passedOver])
  expect(await toldBy(own, 'own://h/x', request, 'object')).toEqual([
    passedOver,
    'The option `limit` has no effect: The protocol of ours supports it for listings only.',
  ])
})

test('a built-in fetcher that is made by hand honours what it does in a client', async () => {
  const made = { ...ftpFetcher(), retrieve: async () => retrieved(chunks('x'), { kind: 'listing' }) } as Fetcher
  expect(await toldBy(made, 'ftp://h/x', { range: [0, 5], limit: 5 }, 'listing')).toEqual([
    'The option `range` has no effect: FTP supports it for objects only.',
    'The option `limit` has no effect: FTP does not support it.',
  ])
})

test('of a Gopher item and of a news article that is to be newer, or gone on with, the whole comes', async () => {
  await using gopher = await startGopherServer()
  await using news = await startNntpServer()
  const request = { ifChangedSince: new Date(), resumeFrom: 3 }
  for (const url of [`${gopher.url}9/pub/a.bin`, `${news.url}retriever.test/1`]) {
    const { got, events, error } = await body(url, {}, request)
    expect(error).toBeNull()
    expect(got).not.toBeNull()
    expect(remarks(events)).toEqual([
      expect.stringContaining('`resumeFrom` gets the resource from its beginning'),
      expect.stringContaining('`ifChangedSince` has no effect'),
    ])
  }
})

test("client.fetch, which asks for HTTP's own options by itself, is told nothing of them elsewhere", async () => {
  await using gopher = await startGopherServer()
  const events: RetrievalEvent[] = []
  await using client = createClient({ onEvent: (event) => events.push(event) })
  await (await client.fetch(`${gopher.url}9/pub/a.bin`)).arrayBuffer()
  expect(remarks(events)).toEqual([])
})
