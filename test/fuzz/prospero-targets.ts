import { readdirSync, readFileSync } from 'node:fs'
import { RetrievalError, resolve } from '@retriever/core'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import { accessEntries, entryOf, modifiedOf, sizeOf } from '../../packages/fetchers/src/protocols/prospero/entries.ts'
import { Exchange } from '../../packages/fetchers/src/protocols/prospero/exchange.ts'
import { parsePacket } from '../../packages/fetchers/src/protocols/prospero/packet.ts'
import { readReply } from '../../packages/fetchers/src/protocols/prospero/replies.ts'
import { TokenError, tokenLines } from '../../packages/fetchers/src/protocols/prospero/tokens.ts'
import { accessMethods } from '../../packages/fetchers/src/protocols/prospero/urls.ts'
import type { Retransmission } from '../../packages/fetchers/src/wire/transport/retransmission.ts'
import { conversationsOf, readRecording } from '../protocols/prospero/support/recording.ts'
import type { Random } from './random.ts'
import { require, requireEqual, type Target } from './target.ts'

const folder = new URL('../protocols/prospero/transcripts/', import.meta.url)

/** What the recorded server sent: the packets of each answer, and its text. */
const answers = readdirSync(folder)
  .flatMap((name) => conversationsOf(readRecording(readFileSync(new URL(name, folder), 'latin1'))) ?? [])
  .flatMap(({ id, answer, datagrams }) => {
    if (answer === null || answer.length > 8000) return []
    const packets = datagrams.filter(({ from }) => from === 'S').map(({ octets }) => octets.toString('latin1'))
    return [{ id, answer, packets: packets.filter((packet) => packet.startsWith(id, 1)) }]
  })
  .filter(({ packets }) => packets.length > 0)

const maxCollected = 20_000

// The rest of a context is not used.
const context = {
  limits: { maxCollected },
  error: (code: 'partial', message: string) => new RetrievalError(code, message, { phase: 'request' }),
} as unknown as RetrievalContext

/** The outcome of an exchange in which these packets come, and then nothing more. */
async function exchange(id: string, packets: readonly string[]): Promise<string | null> {
  const left = [...packets]
  let sent = 0
  const wire = {
    restart() {},
    send() {
      sent++
    },
    async receive<T>(
      _phase: unknown,
      again: Retransmission,
      accept: (octets: Uint8Array) => T | undefined,
    ): Promise<T> {
      for (;;) {
        const packet = left.shift()
        if (packet === undefined) {
          again.expired()
          throw new RetrievalError('timeout', 'Nothing more comes.', { phase: 'request' })
        }
        const accepted = accept(Buffer.from(packet, 'latin1'))
        if (accepted !== undefined) return accepted
      }
    },
  }
  try {
    const answer = await new Exchange(wire, 'STATUS\n', context, { nextId: () => id, head: '' }).run('request')
    if (answer.kind === 'message') require(answer.text.length <= maxCollected, 'the answer is over the limit')
    return answer.kind === 'message' ? answer.text : null
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return null
  } finally {
    require(sent <= packets.length + 3, 'it sends more packets than come')
  }
}

/** Octets of a text changed, taken out, or added. */
function mutated(random: Random, text: string): string {
  let octets = text
  for (let times = random.below(4); times > 0; times--) {
    const at = random.below(octets.length + 1)
    const piece = random.pick([
      '',
      '',
      "'",
      '\n',
      ' ',
      '\0',
      '\xff',
      '\r',
      '(',
      '-1',
      '\x80',
      String.fromCharCode(random.below(256)),
    ])
    octets = octets.slice(0, at) + piece + octets.slice(at + random.below(3))
  }
  return octets
}

/** Packets whose every field may be anything. */
function invented(random: Random, id: string): string {
  const field = (): string => random.pick(['\0\0', '\0\x01', '\0\x02', '\0\x10', '\xff\xff', '\x01\0'])
  const flags = random.pick(['\0', '\x01', '\x0f', '\x40', '\x80', '\xff'])
  const option = random.pick(['\0', '\x01', '\x04', '\x05', '\xfe'])
  const header = `${id}${field()}${field()}${field()}${field()}${flags}${option}${random.several(6, () => random.pick(['\0', '\x02', '\x7f']))}`
  const length = random.pick([3, 5, 7, 9, 11, 12, 13, header.length + 1, random.below(64)])
  return (
    String.fromCharCode(length) +
    header.slice(0, Math.max(length - 1, 2)) +
    random.several(3, () => 'x'.repeat(random.below(2000)))
  )
}

export const ardp: Target = {
  about:
    'properties 13 and 14: packets of ARDP in any order, twice, or changed, give the answer or a RetrievalError, within the limits',
  generate(random) {
    const { id, answer, packets } = random.pick(answers)
    const isWhole = random.chance(30)
    const given = packets.flatMap((packet) => {
      if (isWhole) return random.chance(20) ? [packet, packet] : [packet]
      return random.chance(10) ? [] : [mutated(random, packet)]
    })
    const others = isWhole ? [] : Array.from({ length: random.below(4) }, () => invented(random, id))
    const all = [...given, ...others]
    for (let at = all.length - 1; at > 0; at--) {
      const other = random.below(at + 1)
      const [one = '', two = ''] = [all[at], all[other]]
      all[at] = two
      all[other] = one
    }
    return [id, isWhole ? answer : '', ...all]
  },
  async check(id = '', answer = '', ...packets) {
    for (const packet of packets) parsePacket(Buffer.from(packet, 'latin1'))
    const text = await exchange(id, packets)
    if (answer !== '') requireEqual(text, answer, 'the answer is another one')
  },
}

const server = { host: 'h.example', port: 1525 }
const object = { hostType: 'INTERNET-D', host: 'h.example(1525)', hsoname: '/x', version: '0' }

export const prospero: Target = {
  about:
    "property 14: a Prospero server's text is links and attributes or an error, and each URL that comes of it can be read",
  generate: (random) => [mutated(random, random.pick(answers).answer)],
  check(text = '') {
    try {
      const reply = readReply(text)
      const urls = reply.links.map((link) => entryOf(link, server).url)
      const methods = accessMethods(reply.attributes, object, server)
      urls.push(...accessEntries(methods).map(({ url }) => url))
      sizeOf(reply.attributes)
      modifiedOf(reply.attributes)
      for (const url of urls) if (url !== null) readable(url)
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
    }
  },
}

/** A port of 70000, or a name that is no host, must not become a URL. */
function readable(url: string): void {
  const { plan } = resolve(url)
  require('host' in plan && plan.host !== '', `${url} names no host`)
}

export const prosperoTokens: Target = {
  about: 'property 15: a text in quotes is one token again, whatever octets it has',
  generate: (random) => {
    const token = (): string =>
      random.several(8, () => random.pick(["'", '\n', '\r', ' ', '\t', '\0', '\xff', 'a', 'b/c']))
    return [token(), token()]
  },
  check(first = '', second = '') {
    const quoted = (token: string): string => `'${token.replaceAll("'", "''")}'`
    const lines = [...tokenLines(`X ${quoted(first)}  ${quoted(second)}\r\nY`)]
    requireEqual(lines, [['X', first, second], ['Y']], 'read otherwise')
  },
}
