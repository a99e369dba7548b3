import type { Socket } from 'node:net'
import { defaultLimits } from '@retriever/fetchers/plugin'
import { RetrievalDeadline } from '../../../packages/fetchers/src/kit/deadline.ts'
import { Http1Connection } from '../../../packages/fetchers/src/protocols/http/connection/http1.ts'
import type { SocketReader } from '../../../packages/fetchers/src/wire/transport/socket-reader.ts'
import { cut } from '../cut.ts'
import type { Random } from '../random.ts'
import { require, requireEqual, type Target } from '../target.ts'

const bodies = [
  '',
  'a',
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx',
  'x'.repeat(300),
]

function head(random: Random, length: number): string {
  const near = String(Math.max(0, length + random.pick([0, 0, 0, 0, 0, 0, 1, -1])))
  const lengths = [
    near,
    near,
    near,
    near,
    `0${near}`,
    `${near}, ${near}`,
    `${near},1`,
    `+${near}`,
    `${near} 1`,
    '',
    `\t${near} `,
  ]
  const fields = random.several(3, () => {
    const value = random.pick(lengths)
    return `${random.pick([
      ...[
        `Content-Length: ${value}`,
        `content-length:${value}`,
        `Content-Length: ${value}`,
        'Transfer-Encoding: chunked',
      ],
      ...[
        'Connection: close',
        'Connection: Keep-Alive',
        'Connection: a, CLOSE',
        'X: y',
        'X: y\r\n\tz',
        'X: Content-Length: 1',
      ],
    ])}\r\n`
  })
  const status = random.pick([200, 200, 200, 200, 204, 304, 404, 103])
  return `HTTP/1.${random.chance(85) ? 1 : 0} ${status} OK\r\n${fields}\r\n`
}

function chunks(random: Random, body: string): string {
  const size = 1 + random.below(8)
  const pieces = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  const line = (length: number): string => length.toString(16) + random.pick(['', '', '', ' ', ';a=b', ';a="b"'])
  const trailer = random.pick(['', '', 'X: y\r\n'])
  return `${pieces.map((piece) => `${line(piece.length)}\r\n${piece}\r\n`).join('')}${line(0)}\r\n${trailer}\r\n`
}

function answer(random: Random): string {
  const body = random.pick(bodies)
  const coded = random.chance(40) ? chunks(random, body) : body
  const all = head(random, body.length) + coded + random.pick(['', '', '', '', 'H', 'x', 'HTTP/1.1 200 OK\r\n\r\n'])
  return random.chance(85) ? all : all.slice(0, random.below(all.length))
}

/** What an answer means; `body` null: nothing that may pass for whole. */
interface Meaning {
  readonly body: string | null
  /** Whether the connection may serve again, if it stays open. */
  readonly isFree: boolean
  /** Whether only the end of the connection ends the answer. */
  readonly needsEnd: boolean
}

const nothing: Meaning = { body: null, isFree: false, needsEnd: true }

/** Reads an answer by RFC 9112 alone, as a string that is there as a whole. */
function meaningOf(octets: string, method: string): Meaning {
  const end = octets.indexOf('\r\n\r\n')
  const [, minor, status = ''] = /^HTTP\/1\.([01]) (\d{3}) /.exec(octets) ?? []
  if (end < 0 || minor === undefined) return nothing
  const content = octets.slice(end + 4)
  if (status.startsWith('1')) return meaningOf(content, method)
  const lines = octets.slice(0, end).replaceAll('\r\n\t', ' ').split('\r\n').slice(1)
  const valuesOf = (name: string): string[] =>
    lines
      .filter((line) => line.toLowerCase().startsWith(`${name}:`))
      .flatMap((line) => line.slice(name.length + 1).split(','))
      .map((value) => value.replace(/^[ \t]+|[ \t]+$/g, '').toLowerCase())
  const [lengths, codings, options] = ['content-length', 'transfer-encoding', 'connection'].map(valuesOf)
  const [length] = lengths ?? []
  if (lengths?.some((each) => each !== length || !/^\d+$/.test(each))) return nothing
  const isCoded = (codings?.length ?? 0) > 0
  if (isCoded && length !== undefined) return nothing
  const stays = !options?.includes('close') && (minor === '1' || options?.includes('keep-alive') === true)
  const whole = (body: string, after: string): Meaning => ({ body, isFree: stays && after === '', needsEnd: false })
  if (method === 'HEAD' || status === '204' || status === '304') return whole('', content)
  // Whoever asks for the head refuses other codings, and the same one twice.
  if (isCoded) return unchunked(content, whole)
  if (length === undefined) return { body: content, isFree: false, needsEnd: true }
  return content.length < Number(length)
    ? nothing
    : whole(content.slice(0, Number(length)), content.slice(Number(length)))
}

function unchunked(content: string, whole: (body: string, after: string) => Meaning): Meaning {
  let [body, rest] = ['', content]
  while (true) {
    const [line, hex = ''] = /^([0-9a-f]+) ?(?:;a="?b"?)?\r\n/.exec(rest) ?? []
    if (line === undefined) return nothing
    const size = Number.parseInt(hex, 16)
    rest = rest.slice(line.length)
    if (size === 0) break
    if (rest.length < size + 2 || rest.slice(size, size + 2) !== '\r\n') return nothing
    body += rest.slice(0, size)
    rest = rest.slice(size + 2)
  }
  const [trailer] = /^(?:X: y\r\n)?\r\n/.exec(rest) ?? []
  return trailer === undefined ? nothing : whole(body, rest.slice(trailer.length))
}

/** A connection whose octets come when the request is sent, and which ends after them if `ends`. */
function connect(pieces: readonly Buffer[], ends: boolean): Http1Connection {
  const waiting: Buffer[] = []
  let isSent = false
  const socket = {
    destroyed: false,
    errored: null,
    closed: false,
    write: () => {
      isSent = true
      waiting.push(...pieces)
    },
    destroy: () => (socket.destroyed = true),
    ...{ on: () => {}, once: () => {}, ref: () => {}, unref: () => {}, setTimeout: () => {} },
  }
  const isQuiet = (): boolean => !socket.destroyed && waiting.length === 0 && !(isSent && ends)
  const source: SocketReader = {
    take: () => waiting.shift() ?? (isQuiet() ? undefined : null),
    arrival: () => Promise.resolve(),
    watch: (listener) => {
      if (!isQuiet()) listener()
    },
    get isQuiet() {
      return isQuiet()
    },
    ...{ failure: null, provesEnd: false, isCut: false, grow: () => {}, rest: () => {} },
  }
  return new Http1Connection(socket as unknown as Socket, source, 65_536, null, undefined)
}

async function receive(pieces: readonly Buffer[], ends: boolean, method: 'GET' | 'HEAD') {
  const connection = connect(pieces, ends)
  let isFree = false
  connection.onFree = () => (isFree = true)
  const octets = `${method} / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n`
  const deadline = new RetrievalDeadline('', { ...defaultLimits, totalTimeout: Number.POSITIVE_INFINITY })
  const exchange = connection.begin(
    { method, target: '/', host: 'h', fields: [], octets, shown: () => octets },
    deadline,
  )
  let body = ''
  try {
    await exchange.head()
    for (let chunk = exchange.take(); chunk !== null; chunk = exchange.take()) {
      if (chunk === undefined) await exchange.arrival()
      else body += Buffer.from(chunk).toString('latin1')
    }
  } catch (error) {
    require(error instanceof Error && !(error instanceof TypeError), `${error}`)
    return { body: null, isFree }
  } finally {
    await exchange.cancel()
  }
  return { body, isFree }
}

export const http: Target = {
  about: 'property 11: an answer of HTTP/1 gives the body that RFC 9112 says or an error, however it is cut',
  // The model knows only what the grammar makes.
  isWhole: true,
  generate: (random) => [answer(random), String(random.below(1e9)), random.chance(85) ? 'GET' : 'HEAD'],
  async check(text = '', seed = '0', wantedMethod = 'GET') {
    const method = wantedMethod === 'HEAD' ? 'HEAD' : 'GET'
    const octets = Buffer.from(text, 'latin1')
    const { needsEnd, ...wanted } = meaningOf(text, method)
    for (const pieces of [[octets], cut(octets, Number(seed))])
      requireEqual(await receive(pieces, needsEnd, method), wanted, 'RFC 9112 says otherwise')
  },
}
