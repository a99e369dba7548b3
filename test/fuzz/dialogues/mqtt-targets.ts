import { type AccessPlans, RetrievalError, resolve } from '@retriever/core'
import type { RequestOptions } from '../../../packages/fetchers/src/contract/fetcher.ts'
import { mqttFetcher } from '../../../packages/fetchers/src/protocols/mqtt/index.ts'
import type { Random } from '../random.ts'
import { attempt, require, requireEqual, type Target } from '../target.ts'
import { codeOf, contextOver, FakeSocket, type Told } from './fake-socket.ts'
import { utf8End } from './utf8.ts'

const url = 'mqtt://h/a'
const texts = ['', '', 'a', '\n', '\0', '{"a":1}', 'Ã©', 'ÿ', '"', 'x'.repeat(120), 'x'.repeat(40)]

const two = (number: number): string => String.fromCharCode((number >> 8) & 255, number & 255)

/** The remaining length (MQTT 3.1.1 2.2.3), sometimes in more octets than it needs, or wrong. */
function lengthOf(length: number, random: Random): string {
  if (random.chance(1)) return '\xff\xff\xff\xff'
  const wrong = random.chance(3) ? Math.max(0, length + random.below(5) - 2) : length
  const octets = [wrong & 127]
  for (let left = wrong >> 7; left > 0 || random.chance(3); left >>= 7) octets.push(left & 127)
  return String.fromCharCode(...octets.map((octet, index) => (index < octets.length - 1 ? octet | 128 : octet)))
}

function packet(first: number, content: string, random: Random): string {
  return String.fromCharCode(first) + lengthOf(content.length, random) + content
}

function publish(random: Random): string {
  const [topic, payload] = [random.pick(texts), random.several(3, () => random.pick(texts))]
  const flags = random.chance(95) ? random.pick([0, 0, 1]) : random.below(16)
  return packet(0x30 | flags, two(topic.length + (random.chance(2) ? random.below(300) : 0)) + topic + payload, random)
}

function other(random: Random): string {
  return packet(random.below(256), random.pick(['', '\0', '\0\0', '\0\x01\0']), random)
}

/** A sequence of octets that is read as packets. */
class Packets {
  at = 0
  readonly octets: string

  constructor(octets: string) {
    this.octets = octets
  }

  /** The next head; null: the end. */
  head(cut: string): { readonly type: number; readonly flags: number; readonly length: number } | null {
    if (this.at === this.octets.length) return null
    const [, first = '', size = ''] = /^(.)([\x80-\xFF]{0,3}[\0-\x7F])/s.exec(this.octets.slice(this.at)) ?? []
    if (size === '') throw /^.[\x80-\xFF]{4}/s.test(this.octets.slice(this.at)) ? 'protocol-violation' : cut
    this.at += 1 + size.length
    const length = [...size].reduceRight((sum, octet) => sum * 128 + (octet.charCodeAt(0) & 127), 0)
    return { type: first.charCodeAt(0) >> 4, flags: first.charCodeAt(0) & 15, length }
  }

  take(count: number): { readonly text: string; readonly isWhole: boolean } {
    const text = this.octets.slice(this.at, this.at + count)
    this.at += text.length
    return { text, isWhole: text.length === count }
  }
}

interface Message {
  readonly topic: string
  readonly retain: boolean
  readonly payload: string
  readonly isWhole: boolean
}

function message(packets: Packets, { flags, length }: { readonly flags: number; readonly length: number }): Message {
  if ((flags & 6) !== 0 || length < 2) throw 'protocol-violation'
  const size = packets.take(2)
  if (!size.isWhole) throw 'partial'
  const topicSize = size.text.charCodeAt(0) * 256 + size.text.charCodeAt(1)
  if (topicSize + 2 > length) throw 'protocol-violation'
  const topic = packets.take(topicSize)
  if (!topic.isWhole) throw 'partial'
  const { text, isWhole } = packets.take(length - 2 - topicSize)
  return { topic: topic.text, retain: (flags & 1) === 1, payload: text, isWhole }
}

function answer(packets: Packets, head: ReturnType<Packets['head']>, type: number, length: number): string {
  if (head === null) throw 'receive-failed'
  if (head.type !== type || head.length !== length) throw 'protocol-violation'
  const { text, isWhole } = packets.take(length)
  if (!isWhole) throw 'receive-failed'
  return text
}

/** What a client must make of the octets behind CONNECT and SUBSCRIBE, by MQTT 3.1.1 alone. */
function model(
  connack: string,
  rest: string,
  { count, jsonMessages }: RequestOptions,
): Told & { saysGoodbye: boolean } {
  let [body, saysGoodbye] = ['', false]
  try {
    const before = new Packets(connack)
    const code = answer(before, before.head('receive-failed'), 2, 2).charCodeAt(1)
    if (code !== 0) throw code === 4 || code === 5 ? 'auth-required' : 'server-refused'
    saysGoodbye = true
    const packets = new Packets(connack.slice(before.at) + rest)
    const early: Message[] = []
    let head = packets.head('receive-failed')
    for (; head?.type === 3; head = packets.head('receive-failed')) {
      const each = message(packets, head)
      if (!each.isWhole) throw 'partial'
      early.push(each)
    }
    const suback = answer(packets, head, 9, 3)
    if (!suback.startsWith('\0\x01')) throw 'protocol-violation'
    if (suback.charCodeAt(2) > 127) throw 'access-denied'
    for (let came = 0; came !== count; came++) {
      let each = early.shift()
      while (each === undefined) {
        head = packets.head('partial')
        saysGoodbye = head !== null
        if (head === null && count !== undefined) throw 'partial'
        if (head === null) return { body, error: null, saysGoodbye }
        if (head.type === 3) each = message(packets, head)
        else if (head.type !== 13 || head.length !== 0) throw 'protocol-violation'
      }
      body += formOf(each, count, jsonMessages)
      if (!each.isWhole) throw 'partial'
    }
    return { body, error: null, saysGoodbye }
  } catch (error) {
    if (typeof error !== 'string') throw error
    return { body, error, saysGoodbye }
  }
}

function formOf({ topic, retain, payload, isWhole }: Message, count: number | undefined, isJson = false): string {
  if (!isJson) return payload + (isWhole && count !== 1 ? '\n' : '')
  if (payload.length > 100) throw 'limit-exceeded'
  if (!isWhole) return ''
  const octets = Buffer.from(payload, 'latin1')
  const encoding = utf8End(payload) === 'whole' ? 'utf-8' : 'base64'
  const name = utf8End(topic) === 'whole' ? Buffer.from(topic, 'latin1').toString('utf8') : topic
  const head = { topic: name, qos: 0, retain, size: octets.length, encoding }
  return `${Buffer.from(JSON.stringify({ ...head, payload: octets.toString(encoding) })).toString('latin1')}\n`
}

async function receive(connack: string, rest: string, seed: number | null, request: RequestOptions) {
  const socket = new FakeSocket((sent) => (sent[0] === '\x10' ? connack : sent[0] === '\x82' ? rest : null), seed)
  const { count } = request
  const plan = resolve(url, { asked: count === undefined ? {} : { count } }).plan as AccessPlans['mqtt']
  let [body, error]: [string, string | null] = ['', null]
  try {
    const result = await mqttFetcher().retrieve(plan, contextOver(socket, url, request))
    require(result.outcome === 'retrieved' && 'read' in result.body, 'it is not retrieved')
    for (let chunk = await result.body.read(); chunk !== null; chunk = await result.body.read()) {
      body += Buffer.from(chunk).toString('latin1')
    }
  } catch (cause) {
    error = codeOf(cause)
  }
  require(socket.destroyed, 'the connection stays open')
  const sent = socket.sent.map((octets) => octets.replace(/(?<=retriever)[\da-f]{12}/, '<random-hex>'))
  const saysGoodbye = sent.at(-1) === '\xe0\0'
  if (error === null) requireEqual(sent, plan.wire, 'something else is sent than is told')
  else
    requireEqual(
      sent.slice(0, saysGoodbye ? -1 : undefined),
      plan.wire.slice(0, saysGoodbye || sent.length > 1 ? 2 : 1),
      'something else is sent than is told',
    )
  return { body, error, saysGoodbye }
}

export const mqtt: Target = {
  about: 'property 11: packets of MQTT give the messages that the specification says, the same however they are cut',
  generate: (random) => {
    const connack = random.chance(90)
      ? '\x20\x02\0\0'
      : random.pick([
          `\x20\x02\0${String.fromCharCode(random.below(7))}`,
          other(random),
          '\x20\x82\0\0\0',
          '\x20\x02\0',
          '',
        ])
    const early = random.several(2, () => publish(random))
    const suback = random.chance(90)
      ? '\x90\x03\0\x01\0'
      : random.pick(['\x90\x03\0\x01\x80', other(random), '\x90\x03\0', ''])
    const packets = random.several(6, () =>
      random.chance(85) ? publish(random) : random.chance(70) ? '\xd0\0' : other(random),
    )
    const all = early + suback + packets
    const split = random.chance(80) ? 0 : random.below(all.length + 1)
    const end = random.chance(85) ? all.length : random.below(all.length + 1)
    const count = random.chance(60) ? '' : String(1 + random.below(4))
    return [
      connack + all.slice(0, split),
      all.slice(split, end),
      String(random.below(1e9)),
      count,
      random.pick(['', '', 'json']),
    ]
  },
  async check(connack = '', rest = '', seed = '0', count = '', form = '') {
    const request = {
      ...(Number(count) > 0 && { count: Number(count) }),
      ...(form === 'json' && { jsonMessages: true }),
    }
    const wanted = model(connack, rest, request)
    const whole = await receive(connack, rest, null, request)
    requireEqual(await receive(connack, rest, Number(seed), request), whole, 'cut otherwise, it is read otherwise')
    requireEqual({ ...whole, error: whole.error?.split(':')[0] ?? null }, wanted, 'the specification says otherwise')
  },
}

const levels = [
  'a',
  'b',
  '',
  '+',
  '#',
  '+',
  '$SYS',
  'a+',
  '#a',
  '++',
  'é',
  '%23',
  '%2B',
  '%2b',
  '%2F',
  '%00',
  '%C3%A9',
  '%FF',
  '%ED%A0%80',
  '%20',
  ' ',
  '%0a',
  '?',
  ':',
  '%25',
  '😀',
]

/** Whether the octets are a topic filter (MQTT 3.1.1 4.7.1), level by level. */
function isFilter(octets: string): boolean {
  if (octets === '' || octets.length > 65_535 || octets.includes('\0') || utf8End(octets) !== 'whole') return false
  return octets.split('/').every((level, index, all) => {
    if (level === '#') return index === all.length - 1
    return level === '+' || !/[+#]/.test(level)
  })
}

export const mqttTopic: Target = {
  isWhole: true,
  about:
    'property 16: the path of an mqtt URL is a topic filter or an error, and CONNECT and SUBSCRIBE hold what it says',
  generate: (random) => [
    random.pick(['', '', 'u@', 'u:p@', 'u%C3%A9:@', ':p@', '@', 'u%00@', `${'u'.repeat(300)}@`]),
    random.chance(2) ? 'x'.repeat(8000) : random.several(5, () => random.several(2, () => random.pick(levels)), '/'),
  ],
  check(login = '', path = '') {
    const result = attempt(() => resolve(`mqtt://${login}h/${path}`))
    const octets = Buffer.from(path.replace(/#.*/s, ''))
      .toString('latin1')
      .replace(/%([\dA-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (result instanceof RetrievalError) {
      require(['malformed-url', 'limit-exceeded'].includes(result.code), `it is ${result.code}`)
      if (result.code === 'limit-exceeded') return
      const isWhole = !/%(?![\dA-Fa-f]{2})/.test(path + login)
      require(!isWhole || !isFilter(octets), `a topic filter is refused: ${result.message}`)
      return
    }
    require(isFilter(octets), 'it is no topic filter')
    const plan = result.plan as AccessPlans['mqtt']
    requireEqual(plan.topic, octets, 'the topic is another one')
    const [connect = '', subscribe = ''] = plan.wire
    const packets = new Packets(connect + subscribe)
    for (const [type, fields] of [
      [1, [/^\0\x04MQTT\x04[\x02\x82\xc2]\0\x3c$/s]],
      [8, [/^\0\x01$/]],
    ] as const) {
      const head = packets.head('a packet is cut')
      requireEqual([head?.type, head?.flags], [type, type === 8 ? 2 : 0], 'a packet has another head')
      const { text, isWhole } = packets.take(head?.length ?? 0)
      require(isWhole, 'a packet is cut')
      const size = type === 1 ? 10 : 2
      require(fields[0].test(text.slice(0, size)), `${JSON.stringify(text)} begins wrongly`)
      let at = size
      const strings: string[] = []
      while (at + 2 <= text.length) {
        const length = text.charCodeAt(at) * 256 + text.charCodeAt(at + 1)
        strings.push(text.slice(at + 2, at + 2 + length))
        at += 2 + length
      }
      requireEqual(at + text.slice(at).length, text.length, 'a string is cut')
      if (type === 8) requireEqual([strings, text.slice(at)], [[octets], '\0'], 'SUBSCRIBE has another topic')
      else {
        const flags = text.charCodeAt(7)
        const login = [...(flags & 0x80 ? [plan.user] : []), ...(flags & 0x40 ? ['<password>'] : [])]
        requireEqual(
          [flags >= 0x80, flags & 0x40 ? plan.password !== null : null],
          [plan.user !== null, flags & 0x40 ? true : null],
          'the flags say otherwise',
        )
        requireEqual([strings, at], [['retriever<random-hex>', ...login], text.length], 'CONNECT has another login')
      }
    }
    requireEqual(packets.at, packets.octets.length, 'more is sent')
  },
}
