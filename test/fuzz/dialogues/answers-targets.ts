import { type AccessPlan, resolve } from '@retriever/core'
import type { Fetcher, Outcome, RequestOptions } from '../../../packages/fetchers/src/contract/fetcher.ts'
import { dictFetcher } from '../../../packages/fetchers/src/protocols/dict/index.ts'
import { gopherFetcher } from '../../../packages/fetchers/src/protocols/gopher/index.ts'
import { imapFetcher } from '../../../packages/fetchers/src/protocols/imap/index.ts'
import { nntpFetcher } from '../../../packages/fetchers/src/protocols/nntp/index.ts'
import { pop3Fetcher } from '../../../packages/fetchers/src/protocols/pop3/index.ts'
import { rtspFetcher } from '../../../packages/fetchers/src/protocols/rtsp/index.ts'
import type { Random } from '../random.ts'
import { require, requireEqual, type Target } from '../target.ts'
import { codeOf, contextOver, FakeSocket } from './fake-socket.ts'

/** A protocol of lines: URLs, what its server may say, and how an answer begins and ends if it is right. */
interface Protocol {
  readonly fetcher: () => Fetcher
  readonly urls: readonly string[]
  readonly greetings: readonly string[]
  readonly words: readonly string[]
  readonly begins: readonly string[]
  readonly ends: readonly string[]
}

const text = ['\r\n', '\n', '.', '..', '.\r\n', 'a', 'é', 'a b\r\n', '\t', '\r', '\0', '1 2 3\r\n', '"', '{3}\r\nabc']

/** `TAG` stands for the tag of the last command. */
const protocols: Readonly<Record<string, Protocol>> = {
  imap: {
    fetcher: imapFetcher,
    urls: [
      'imap://u:p@h/',
      'imap://u:p@h/b',
      'imap://u:p@h/b/;UID=5',
      'imap://u:p@h/b?SUBJECT%20x',
      'imap://u:p@h/b/;UID=5/;SECTION=1',
      'imap://u:p@h/b/;UID=5/;PARTIAL=2.3',
      'imap://h/b/;UID=5',
    ],
    greetings: ['* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] x\r\n', '* PREAUTH x\r\n', '* OK x\r\n'],
    begins: [
      '* CAPABILITY IMAP4rev1\r\n',
      '* 3 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n',
      '* LIST (\\HasNoChildren) "/" "a"\r\n* LIST (\\Noselect) NIL {3}\r\na"b\r\n',
      '* 1 FETCH (UID 5 BODY[] {6}\r\nab\r\ncd)\r\n',
      '* 1 FETCH (UID 5 BODY[1] "xy")\r\n',
      '* 1 FETCH (BODY[]<2> {3}\r\nabc UID 5)\r\n',
      '* 1 FETCH (UID 5 RFC822.SIZE 10 FLAGS (\\Seen))\r\n',
      '* SEARCH 5 7\r\n',
    ],
    words: [
      '+ go\r\n',
      '* BYE x\r\n',
      '* 1 FETCH (FLAGS ())\r\n',
      '* 2 EXPUNGE\r\n',
      '* OK {1}\r\nx\r\n',
      '* 1 FETCH (UID 6 BODY[] NIL)\r\n',
    ],
    ends: ['TAG OK done\r\n', 'TAG OK done\r\n', 'TAG OK done\r\n', 'TAG NO [INUSE] x\r\n', 'TAG BAD x\r\n'],
  },
  pop3: {
    fetcher: pop3Fetcher,
    urls: ['pop3://u:p@h/', 'pop3://u:p@h/2', 'pop3://u;AUTH=+APOP:p@h/1'],
    greetings: ['+OK <1@h> x\r\n', '+OK\r\n'],
    begins: ['+OK\r\n', '+OK 2 320\r\n', '+OK\r\n1 120\r\n2 200\r\n', '+OK x\r\nSubject: a\r\n\r\n..a\r\n', '+ \r\n'],
    words: ['-ERR [IN-USE] x\r\n', '-ERR\r\n', 'x\r\n', 'UIDL\r\n'],
    ends: ['', '.\r\n', '.\r\n'],
  },
  nntp: {
    fetcher: nntpFetcher,
    urls: ['nntp://h/g', 'nntp://h/g/5', 'news://h/a@b', 'news://h/*', 'news://h/g.*'],
    greetings: ['200 hi\r\n', '201 hi\r\n'],
    begins: [
      '211 3 1 3 g\r\n',
      '220 5 <a@b>\r\nSubject: x\r\n\r\n..a\r\n',
      '224 x\r\n1\ts\tf\td\t<1@h>\t\t10\t1\r\n',
      '215 x\r\ng 3 1 y\r\n',
      '101 x\r\nVERSION 2\r\nREADER\r\nOVER\r\n',
      '223 5 <a@b>\r\n',
    ],
    words: ['430 x\r\n', '480 x\r\n', '500 x\r\n', '411 x\r\n', '205 x\r\n', '400 x\r\n', '999\r\n'],
    ends: ['', '.\r\n', '.\r\n'],
  },
  dict: {
    fetcher: dictFetcher,
    urls: ['dict://h/d:w', 'dict://h/m:w', 'dict://h/show:db', 'dict://h/d:w:*:2'],
    greetings: ['220 h <a> <b@c>\r\n'],
    begins: ['150 2 x\r\n151 "w" d "D"\r\na\r\n', '152 1 x\r\nd "w"\r\n', '110 1 x\r\nd "D"\r\n'],
    words: ['151 "w" e "E"\r\n..b\r\n.\r\n', '552 x\r\n', '550 x\r\n', '420 x\r\n', '221 x\r\n'],
    ends: ['', '.\r\n250 ok\r\n', '.\r\n250 ok\r\n', '.\r\n'],
  },
  rtsp: {
    fetcher: rtspFetcher,
    urls: ['rtsp://h/x', 'rtsp://u:p@h/x'],
    greetings: [''],
    begins: [
      'RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Type: application/sdp\r\nContent-Length: 4\r\n\r\nv=0\n',
      'RTSP/1.0 401 x\r\nCSeq: 1\r\nWWW-Authenticate: Digest realm="x", nonce="y"\r\nContent-Length: 0\r\n\r\n',
      'RTSP/1.0 302 x\r\nCSeq: 1\r\nLocation: rtsp://h/y\r\n\r\n',
      'RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Length: 9\r\n\r\n',
    ],
    words: [
      'RTSP/1.0 404 x\r\nCSeq: 1\r\n\r\n',
      'ANNOUNCE x RTSP/1.0\r\n\r\n',
      '$\0\0\x02ab',
      'HTTP/1.1 200 OK\r\n\r\n',
    ],
    ends: [''],
  },
  gopher: {
    fetcher: gopherFetcher,
    urls: [
      'gopher://h/1x',
      'gopher://h/0x',
      'gopher://h/9x',
      'gopher://h/0x%09%09+',
      'gopher://h/0x%09%09!',
      'gopher://h/1x%09%09$',
      'gopher://h/0x%09%09+text/plain',
      'gopher://h/7x%09a',
    ],
    greetings: [''],
    begins: [
      '1a\tb\th\t70\r\n',
      '+-1\r\n',
      '+-2\r\n',
      '+3\r\nabc',
      '--1\r\n1 x\r\n',
      '+INFO: 0a\tb\th\t70\t+\r\n+VIEWS:\r\n text/plain: <1k>\r\n',
    ],
    words: ['+ADMIN:\r\n Admin: x\r\n', '3err\t\t\t\r\n', 'iinfo\r\n', '+ABSTRACT:\r\n a\r\n', '+5\r\n'],
    ends: ['', '.\r\n', '.\r\n'],
  },
}

function answer({ begins, words, ends }: Protocol, random: Random): string {
  const part = (): string => random.pick(random.chance(80) ? begins : random.chance(50) ? words : text)
  const rest = random.chance(30) ? random.several(3, () => random.pick(text)) : ''
  const whole = random.pick(begins) + random.several(2, part) + rest + random.pick(ends)
  return random.chance(3) ? whole.slice(0, random.below(whole.length + 1)) : whole
}

async function receive({ fetcher, urls }: Protocol, url: string, answers: readonly string[], seed: number | null) {
  let [next, tag] = [1, '']
  const socket = new FakeSocket(
    (message) => {
      tag = /^A\d+ /.exec(message)?.[0].trim() ?? tag
      require(next < 200, 'it asks without end')
      const found = answers[next++]
      return found === undefined ? null : found.replaceAll('TAG', tag)
    },
    seed,
    answers[0],
  )
  const { plan } = resolve(url)
  require(urls.includes(url), 'it is another URL')
  const client: Fetcher = fetcher()
  let [body, error, facts]: [string, string | null, unknown] = ['', null, null]
  try {
    const request: RequestOptions = {}
    const result: Outcome = await (client.retrieve as (plan: AccessPlan, context: unknown) => Promise<Outcome>)(
      plan,
      contextOver(socket, url, request),
    )
    if (result.outcome === 'retrieved' && 'read' in result.body) {
      const { body: source, entries: _, ...others } = result
      facts = others
      for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
        body += Buffer.from(chunk).toString('latin1')
      }
    } else facts = result
  } catch (cause) {
    error = codeOf(cause)
  } finally {
    await client.dispose?.()
  }
  require(socket.destroyed, 'the connection stays open')
  return { body, error, facts, sent: socket.sent }
}

export const answers: Target = {
  about: 'property 11: protocols of lines read the same from a server, right or wrong, however its answers are cut',
  generate: (random) => {
    const name = random.pick(Object.keys(protocols))
    const protocol = protocols[name] as Protocol
    const greeting = random.chance(95) ? random.pick(protocol.greetings) : answer(protocol, random)
    const said = [greeting, ...Array.from({ length: 1 + random.below(5) }, () => answer(protocol, random))]
    return [name, random.pick(protocol.urls), said.join('\x01'), String(random.below(1e9))]
  },
  async check(name = '', url = '', said = '', seed = '0') {
    const protocol = protocols[name]
    if (protocol === undefined || !protocol.urls.includes(url)) return
    const whole = await receive(protocol, url, said.split('\x01'), null)
    requireEqual(
      await receive(protocol, url, said.split('\x01'), Number(seed)),
      whole,
      'cut otherwise, it is read otherwise',
    )
  },
}
