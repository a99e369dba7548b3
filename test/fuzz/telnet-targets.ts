import { DO, DONT, type Verb, WILL, WONT } from '../../packages/fetchers/src/wire/nvt/codes.ts'
import { NvtDecoder } from '../../packages/fetchers/src/wire/nvt/decoder.ts'
import { NvtEncoder } from '../../packages/fetchers/src/wire/nvt/encoder.ts'
import { Negotiation } from '../../packages/fetchers/src/wire/nvt/negotiation.ts'
import { cut } from './cut.ts'
import type { Random } from './random.ts'
import { require, requireEqual, type Target } from './target.ts'

const pieces = [
  '\xff',
  '\xff\xff',
  '\xff\xfa',
  '\xff\xf0',
  '\xff\xfb\x01',
  '\xff\xfd\x18',
  '\xff\xf1',
  '\r',
  '\n',
  '\0',
]
const octets = (random: Random): string =>
  random.several(20, () =>
    random.pick([...pieces, 'a', 'text', '\xf0', '\xfa', '\xff\xfa\x18\x01\xff\xf0', 'x'.repeat(9)]),
  )

const maxSubnegotiation = 12

/** All that a decoder tells of some octets: commands in their places in the text. */
function decode(chunks: readonly Buffer[]): string {
  const told: string[] = []
  let before = ''
  const tell = (event: string): void => void told.push(event)
  const decoder = new NvtDecoder(
    {
      negotiated: (verb, option) => tell(`${verb} ${option}`),
      subnegotiated: (option, content) => tell(`SB ${option} ${Buffer.from(content).toString('latin1')}`),
      commanded: (command) => tell(`command ${command}`),
      overflowed: () => tell('too long'),
    },
    maxSubnegotiation,
  )
  for (const chunk of chunks) before += Buffer.from(decoder.feed(chunk)).toString('latin1')
  return JSON.stringify({ text: before, told })
}

export const telnet: Target = {
  about: "property 11: a Telnet server's octets are text and commands, the same however they are cut",
  generate: (random) => [octets(random), String(random.below(1e9))],
  check(text = '', seed = '0') {
    const sent = Buffer.from(text, 'latin1')
    requireEqual(decode(cut(sent, Number(seed))), decode([sent]), 'cut otherwise, it is read otherwise')
  },
}

export const telnetText: Target = {
  about:
    'properties 15 and 16: text that is sent by Telnet holds no command, and comes as it was, but for the ends of its lines',
  generate: (random) => [octets(random), String(random.below(1e9)), random.pick(['', 'binary'])],
  check(text = '', seed = '0', binary = '') {
    const encode = (chunks: readonly Buffer[]): Buffer => {
      const encoder = new NvtEncoder()
      encoder.binary = binary !== ''
      return Buffer.concat(chunks.map((chunk) => encoder.encode(chunk)))
    }
    const written = Buffer.from(text, 'latin1')
    const whole = encode([written])
    requireEqual(encode(cut(written, Number(seed))).toString('latin1'), whole.toString('latin1'), 'cut otherwise')
    if (binary !== '') {
      requireEqual(whole.toString('latin1'), text.replaceAll('\xff', '\xff\xff'), 'it is changed')
      return
    }
    const lines = text.replace(/\r\n|\r|\n/g, '\r\n')
    requireEqual(decode([whole]), JSON.stringify({ text: lines, told: [] }), 'it comes otherwise')
  },
}

export const telnetOptions: Target = {
  about:
    'case 65, property 21: two sides of a Telnet negotiation come to an end and agree, whatever they ask for and when',
  generate: (random) => [random.several(12, () => random.pick(['a', 'A', 'b', 'B', 'c', 'C', 'd', 'D', '.', '.']))],
  check(asks = '') {
    const queues: { a: [Verb, number][]; b: [Verb, number][] } = { a: [], b: [] }
    const side = (to: 'a' | 'b', accepted: boolean): Negotiation =>
      new Negotiation({
        accepts: () => accepted,
        send: (verb, option) => void queues[to].push([verb, option]),
        changed: () => {},
      })
    const one = side('b', true)
    const other = side('a', asks.length % 2 === 0)
    const deliver = (): boolean => {
      const [toOne] = queues.a.splice(0, 1)
      const [toOther] = queues.b.splice(0, 1)
      if (toOne !== undefined) one.receive(...toOne)
      if (toOther !== undefined) other.receive(...toOther)
      return toOne !== undefined || toOther !== undefined
    }
    for (const ask of asks) {
      const wanted = ask === ask.toUpperCase()
      if (ask === '.') deliver()
      else (/[ab]/i.test(ask) ? one : other).ask(/[ac]/i.test(ask) ? 'client' : 'server', 1, wanted)
    }
    let rounds = 0
    while (deliver()) require(++rounds < 200, 'they answer each other without end')
    requireEqual(one.isOn('client', 1), other.isOn('server', 1), 'they do not agree on one side')
    requireEqual(one.isOn('server', 1), other.isOn('client', 1), 'they do not agree on the other side')
    for (const verb of [WILL, WONT, DO, DONT] as const) {
      const before = queues.b.length
      one.receive(verb, 2)
      one.receive(verb, 2)
      require(queues.b.length - before <= 1, 'it answers what changes nothing')
    }
  },
}
