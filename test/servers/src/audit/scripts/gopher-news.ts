import { mayGive, mustFail, mustGive, mustSucceed, type Script } from '../script.ts'
import { tricks } from './http-terminal.ts'
import { type OwnRow, own, ownRows } from './own.ts'

const allOctets = Uint8Array.from({ length: 4096 }, (_, index) => index % 256)
const binary: OwnRow = { path: '9/pub/a.bin' }
const article: OwnRow = { path: 'retriever.test/1' }
const head = '220 1 <one@example.net>\r\nSubject: x\r\n\r\n'

const said = (key: string, wrap: (trick: string) => string): Readonly<Record<string, OwnRow['faults']>> =>
  Object.fromEntries(
    Object.entries(tricks).map(([what, trick]) => [`${what} in ${key}`, { replies: { [key]: wrap(trick) } }]),
  )

export const gopher: readonly Script[] = [
  ...ownRows(
    'ordinary',
    'gopher',
    { ...binary, outcome: mustGive(allOctets) },
    {
      'all octets': {},
      'octet by octet': { chunking: 'bytes' },
    },
  ),
  own('ordinary', 'gopher', 'a menu', { path: '1/pub', outcome: mustSucceed }),
  own('ordinary', 'gopher', 'a search', { path: '7/search%09hello', outcome: mustSucceed }),
  own('framing', 'gopher', 'RST in the content', { ...binary, faults: { resetAfter: 100 }, outcome: mustFail }),
  ...ownRows(
    'terminal',
    'gopher',
    { path: '0/pub/nothing.txt' },
    said('/pub/nothing.txt', (trick) => `3${trick}\t\terror.host\t1\r\n.\r\n`),
  ),
  ...ownRows(
    'time',
    'gopher',
    { ...binary, outcome: mustFail },
    {
      'silence behind the request': { stall: 'response' },
      'silence in the content': { stall: 'body' },
    },
  ),
]

export const nntp: readonly Script[] = [
  ...ownRows(
    'ordinary',
    'nntp',
    { ...article, outcome: mustSucceed },
    {
      'an article': {},
      'an article octet by octet': { chunking: 'bytes' },
      'an article cut between CR and LF': { chunking: 'split-crlf' },
      'a server without CAPABILITIES': { replies: { CAPABILITIES: '500 what?\r\n' } },
    },
  ),
  own('ordinary', 'nntp', 'a message-id', { path: 'retriever.test/3', outcome: mustSucceed }),
  ...ownRows(
    'framing',
    'nntp',
    { ...article, outcome: mustFail },
    {
      'an article without its dot': { shortBody: 3 },
      'an article that is cut': { cutAfter: 20 },
      'an article cut by RST': { resetAfter: 20 },
      'a connection that ends behind GROUP': { closeAfter: 1 },
      'a greeting of HTTP': { replies: { greeting: 'HTTP/1.1 400 Bad\r\n\r\n' } },
      'no greeting': { replies: { greeting: '' } },
      'a greeting that refuses': { replies: { greeting: '502 go away\r\n' } },
      'a group that is missing': { replies: { GROUP: '411 no such group\r\n' } },
      'an article that is missing': {
        replies: { ARTICLE: '423 none\r\n', HEAD: '423 none\r\n', BODY: '423 none\r\n', STAT: '423 none\r\n' },
      },
      'a code that means nothing': { replies: { ARTICLE: '999 what\r\n', HEAD: '999 what\r\n', BODY: '999 what\r\n' } },
      'a reply without a code': { replies: { ARTICLE: 'hello\r\n', HEAD: 'hello\r\n', BODY: 'hello\r\n' } },
    },
  ),
  ...ownRows(
    'framing',
    'nntp',
    { ...article, outcome: mayGive() },
    {
      'an article whose dot is half a line': { replies: { ARTICLE: `${head}text\r\n.\r` } },
    },
  ),
  ...ownRows(
    'secrets',
    'nntp',
    { ...article, login: true, outcome: mustFail },
    {
      'a login that is refused, and said back': ({ secret }) => ({
        replies: { GROUP: '480 log in\r\n', 'AUTHINFO USER alice': '381 and?\r\n', AUTHINFO: `481 not ${secret}\r\n` },
      }),
    },
  ),
  ...ownRows('terminal', 'nntp', article, {
    ...said('greeting', (trick) => `502 ${trick}\r\n`),
    ...said('GROUP', (trick) => `411 ${trick}\r\n`),
    ...said('ARTICLE', (trick) => `430 ${trick}\r\n`),
  }),
  ...ownRows(
    'time',
    'nntp',
    { ...article, outcome: mustFail },
    {
      'silence in place of a greeting': { stall: 'greeting' },
      'silence behind the request': { stall: 'response' },
      'silence in the article': { stall: 'body' },
    },
  ),
]
