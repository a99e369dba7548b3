import { createHash } from 'node:crypto'
import { type AccessPlans, resolve } from '@retriever/core'
import type { RequestOptions } from '../../../packages/fetchers/src/contract/fetcher.ts'
import { wsFetcher } from '../../../packages/fetchers/src/protocols/ws/index.ts'
import type { Random } from '../random.ts'
import { require, requireEqual, type Target } from '../target.ts'
import { codeOf, contextOver, FakeSocket, type Told } from './fake-socket.ts'
import { utf8End } from './utf8.ts'

const url = 'ws://h/x'
const plan = resolve(url).plan as AccessPlans['ws']

function open(request: string): string {
  const [, key = ''] = /Sec-WebSocket-Key: (\S+)/.exec(request) ?? []
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  return `HTTP/1.1 101 x\r\nUpgrade: websocket\nconnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
}

const texts = [
  '',
  '',
  'a',
  '\n',
  '{"a":1}',
  'Ã©',
  'Ã',
  '©',
  'ð\x9f\x98\x80',
  'ð\x9f',
  '\x98\x80',
  'í\xa0\x80',
  'ÿ',
  'À\x80',
]
const codes = [1000, 1000, 1000, 1001, 1002, 1005, 1006, 1007, 1011, 1014, 1015, 999, 2000, 3000, 4999, 5000, 65_535]

function frame(random: Random): string {
  const text = random.several(3, () => random.pick(texts)) + (random.chance(5) ? 'x'.repeat(random.below(400)) : '')
  const opcode = random.pick([1, 1, 1, 2, 2, 0, 0, 0, 9, 10, 8, ...(random.chance(10) ? [3, 7, 11, 15] : [])])
  const code = random.pick(codes)
  const closing = random.pick(['', String.fromCharCode(code >> 8, code & 255)])
  const content = opcode === 8 ? closing + (closing === '' && random.chance(95) ? '' : text) : text
  const flags = random.chance(65) ? 0x80 : random.chance(98) ? 0 : random.pick([0x40, 0x20, 0xf0])
  return String.fromCharCode(flags | opcode) + lengthOf(content.length, random) + content
}

function lengthOf(length: number, random: Random): string {
  const form = random.chance(2) ? 2 : random.chance(3) ? 1 : length > 125 ? 1 : 0
  const mask = random.chance(1) ? 0x80 : 0
  const two = String.fromCharCode(length >> 8, length & 255)
  if (random.chance(1)) return `${String.fromCharCode(mask | 127)}${random.pick(['\x80', '\0'])}\xff\0\0\0\0${two}`
  if (form === 2) return `${String.fromCharCode(mask | 127)}\0\0\0\0\0\0${two}`
  return form === 1 ? String.fromCharCode(mask | 126) + two : String.fromCharCode(mask | length)
}

/** What a client must make of the frames, by RFC 6455 5 alone. */
function model(octets: string, { count, jsonMessages }: RequestOptions): Told & { readonly sent: readonly string[] } {
  const sent: string[] = []
  let [body, at, came] = ['', 0, 0]
  let message: { readonly isText: boolean; content: string } | null = null
  const over = (code: string | null, farewell: number | null, shown = body) => {
    const last = farewell === null ? [] : [String.fromCharCode(0x88, farewell >> 8, farewell & 255)]
    return { body: shown, error: code, sent: [...sent, ...last] }
  }
  const wrong = (shown?: string) => over('protocol-violation', 1002, shown)
  while (came !== count) {
    // A message that is to become JSON is shown once it is whole.
    const shown = message === null || jsonMessages ? body : body + message.content
    const code = (index: number): number => octets.charCodeAt(at + index)
    const [left, [first, second]] = [octets.length - at, [code(0), code(1)]]
    const cutOff = over('partial', 1001, shown)
    if (left < 2) return cutOff
    const [isLast, opcode] = [first > 0x7f, first & 15]
    if ((first & 0x70) !== 0 || ![0, 1, 2, 8, 9, 10].includes(opcode) || second > 127) return wrong(shown)
    if (opcode > 7 && (second > 125 || !isLast)) return wrong(shown)
    const size = second < 126 ? 0 : second === 126 ? 2 : 8
    if (left < 2 + size) return cutOff
    const length =
      size === 0
        ? second
        : Number(BigInt(`0x${Buffer.from(octets.slice(at + 2, at + 2 + size), 'latin1').toString('hex')}`))
    if (!Number.isSafeInteger(length)) return wrong(shown)
    const content = octets.slice(at + 2 + size, at + 2 + size + length)
    const isCut = content.length < length
    if (opcode > 7) {
      if (isCut) return cutOff
      at += 2 + size + length
      if (opcode === 9) sent.push(`\x8a${content}`)
      if (opcode !== 8) continue
      const close = content.length < 2 ? 1005 : content.charCodeAt(0) * 256 + content.charCodeAt(1)
      const isDefined = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014].includes(close)
      if (content.length === 1) return wrong(shown)
      if (content !== '' && !isDefined && (close < 3000 || close > 4999)) return wrong(shown)
      if (utf8End(content.slice(2)) !== 'whole') return over('protocol-violation', 1007, shown)
      sent.push(`\x88${content.slice(0, 2)}`)
      if (![1000, 1001, 1005].includes(close)) return over('server-refused', null, shown)
      return over(message !== null || count !== undefined ? 'partial' : null, null, shown)
    }
    if ((opcode === 0) !== (message !== null)) return wrong(shown)
    message ??= { isText: opcode === 1, content: '' }
    message.content += content
    const end = message.isText ? utf8End(message.content) : 'whole'
    const soFar = jsonMessages ? body : body + message.content
    if (end === 'never') return over('protocol-violation', 1007, soFar)
    if (jsonMessages && message.content.length > 100) return over('limit-exceeded', 1001)
    if (isCut) return over('partial', 1001, soFar)
    at += 2 + size + length
    if (!isLast) continue
    if (end === 'cut') return over('protocol-violation', 1007, soFar)
    if (jsonMessages) {
      const payload = Buffer.from(message.content, 'latin1')
      const isUtf8 = utf8End(message.content) === 'whole'
      const form = isUtf8 ? 'utf-8' : 'base64'
      const head = { type: message.isText ? 'text' : 'binary', size: payload.length, encoding: form }
      body += `${Buffer.from(JSON.stringify({ ...head, payload: payload.toString(form) })).toString('latin1')}\n`
    } else body = soFar + (message.isText && count !== 1 ? '\n' : '')
    message = null
    came++
  }
  return over(null, 1000)
}

async function receive(octets: string, seed: number | null, request: RequestOptions) {
  const socket = new FakeSocket((message) => (message.startsWith('GET ') ? open(message) + octets : null), seed)
  let [body, error]: [string, string | null] = ['', null]
  try {
    const result = await wsFetcher().retrieve(plan, contextOver(socket, url, request))
    require(result.outcome === 'retrieved' && 'read' in result.body, 'it is not retrieved')
    for (let chunk = await result.body.read(); chunk !== null; chunk = await result.body.read()) {
      body += Buffer.from(chunk).toString('latin1')
    }
  } catch (cause) {
    error = codeOf(cause)
  }
  require(socket.destroyed, 'the connection stays open')
  const [head = '', ...frames] = socket.sent
  requireEqual(head.replace(/(?<=-Key: ).*/, '<key>'), plan.wire[0], 'another handshake is sent than is told')
  return { body, error, sent: frames.map(unmasked) }
}

/** A frame of the client without its length and mask (RFC 6455 5.3). */
function unmasked(frame: string): string {
  const [first = 0, second = 0, ...rest] = Buffer.from(frame, 'latin1')
  requireEqual(second, 0x80 | (rest.length - 4), 'a frame of the client has another length, or no mask')
  return String.fromCharCode(first, ...rest.slice(4).map((octet, index) => octet ^ (rest[index % 4] ?? 0)))
}

export const ws: Target = {
  about:
    'property 11: frames of a WebSocket give what RFC 6455 says, the same however they are cut, and are answered so',
  generate: (random) => {
    const octets = random.several(9, () => frame(random))
    const all = octets + random.pick(['', '\x88\0', '\x88\0', '\x88\x02\x03\xe8'])
    const count = random.chance(70) ? '' : String(1 + random.below(3))
    return [random.chance(90) ? all : all.slice(0, -1), String(random.below(1e9)), count, random.pick(['', '', 'json'])]
  },
  async check(octets = '', seed = '0', count = '', form = '') {
    const request = { ...(count !== '' && { count: Number(count) }), ...(form === 'json' && { jsonMessages: true }) }
    const wanted = model(octets, request)
    const whole = await receive(octets, null, request)
    const pieces = await receive(octets, Number(seed), request)
    requireEqual([pieces.error, pieces.sent], [whole.error, whole.sent], 'cut otherwise, it is read otherwise')
    for (const { body, error, sent } of [whole, pieces]) {
      requireEqual([error?.split(':')[0] ?? null, sent], [wanted.error, wanted.sent], 'RFC 6455 says otherwise')
      // Before a text that is not UTF-8, as much is given as has come.
      if (wanted.error === null) requireEqual(body, wanted.body, 'RFC 6455 gives other octets')
      else
        require(wanted.body.startsWith(
          body,
        ), `${JSON.stringify(body)} is no beginning of ${JSON.stringify(wanted.body)}`)
      if (wanted.error !== null && wanted.sent.at(-1) !== '\x88\x03\xef')
        requireEqual(body, wanted.body, 'octets are lost')
    }
  },
}
