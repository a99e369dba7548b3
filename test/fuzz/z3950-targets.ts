import { RetrievalError } from '@retriever/core'
import { QueryError, readQuery, rpnOf } from '../../packages/core/src/schemes/z3950/query/query.ts'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import {
  readClose,
  readFailure,
  readInit,
  readItems,
  readSearch,
} from '../../packages/fetchers/src/protocols/z3950/answers.ts'
import { bodyOf } from '../../packages/fetchers/src/protocols/z3950/forms.ts'
import { joinFragments } from '../../packages/fetchers/src/protocols/z3950/fragments.ts'
import { MarcError, marcJson, readMarc } from '../../packages/fetchers/src/protocols/z3950/marc.ts'
import { MessageReader } from '../../packages/fetchers/src/protocols/z3950/messages.ts'
import { summaryOf } from '../../packages/fetchers/src/protocols/z3950/summary.ts'
import { marcXml } from '../../packages/fetchers/src/protocols/z3950/xml.ts'
import { BerError } from '../../packages/fetchers/src/wire/framing/ber.ts'
import type { BerNode } from '../../packages/fetchers/src/wire/framing/ber-tree.ts'
import type { Connection } from '../../packages/fetchers/src/wire/transport/connection.ts'
import { indefinite, readNode } from '../servers/src/z3950/ber.ts'
import {
  closeRequest,
  diagnostic,
  initResponse,
  named,
  presentResponse,
  searchResponse,
  segment,
  surrogate,
} from '../servers/src/z3950/messages.ts'
import { recordOf, syntaxes } from '../servers/src/z3950/records.ts'
import { catalogue, marcOf } from '../servers/src/z3950/seed.ts'
import { cut } from './cut.ts'
import type { Random } from './random.ts'
import { require, requireEqual, type Target } from './target.ts'

// The rest of a context is not used.
const contextOf = (accept: string): RetrievalContext =>
  ({
    url: 'z39.50r://h/d?x',
    limits: { maxListing: Number.POSITIVE_INFINITY, maxReply: 65_536 },
    request: accept === '' ? {} : { accept },
    emit: () => {},
    deadline: { throwIfAborted: () => {} },
    error: (code: 'partial', message: string) => new RetrievalError(code, message, { phase: 'body' }),
  }) as unknown as RetrievalContext

const none = Buffer.alloc(0)
const [book] = catalogue.books ?? []
if (book === undefined) throw new Error('The seed has no book.')
const records = Object.values(syntaxes).flatMap((syntax) => recordOf(book, syntax, false) ?? [])

/** Right answers, which the mutations begin with. */
const answers: readonly string[] = [
  initResponse(true, none),
  searchResponse(1, none),
  searchResponse(0, none, diagnostic(0xbf8102, 109, 'nowhere')),
  ...records.map((record) => presentResponse([named('books', record)])),
  presentResponse(records.map((record) => named('books', record))),
  presentResponse([surrogate('books', 238, 'none')]),
  indefinite(0xb9, readNode(presentResponse([named('books', records[0] ?? none)]))?.contents ?? none),
  segment(records.slice(0, 2).map((record) => named('books', record))),
  closeRequest(7, 'bye'),
].map((octets) => octets.toString('latin1'))

/** The octets with one to four changes: an octet flipped, taken out, put in, or a length that lies. */
function mutated(random: Random, octets: string): string {
  let text = octets
  for (let changes = random.below(5); changes > 0; changes--) {
    const at = random.below(text.length + 1)
    const odd = random.pick([
      '\0',
      '\x01',
      '\x7f',
      '\x80',
      '\x84\xff\xff\xff\xf0',
      '\x89',
      '\xff',
      '\x1e',
      '\x1f',
      '0',
      'é',
    ])
    const kind = random.below(4)
    const gap = kind === 0 ? 1 : kind === 1 ? random.below(20) : 0
    text =
      text.slice(0, at) +
      (kind === 1 ? '' : kind === 3 ? String.fromCharCode(random.below(256)) : odd) +
      text.slice(at + gap)
  }
  return text
}

/** All that a client reads out of a message, as values to be compared. */
function readMessage(message: BerNode, context: RetrievalContext): unknown[] {
  return [readInit, readSearch, readFailure, readClose, readBodies].map((read) => {
    try {
      return read(message, context)
    } catch (error) {
      // The session makes a RetrievalError of it.
      if (error instanceof BerError || RetrievalError.is(error)) return error.message
      throw error
    }
  })
}

function readBodies(message: BerNode, context: RetrievalContext): unknown[] {
  return joinFragments(readItems(message)).map((item) => {
    if (item.kind !== 'record') return item
    return [summaryOf(item.record), bodyOf(item.record, context).octets.length]
  })
}

async function readAll(chunks: readonly Buffer[], accept: string): Promise<readonly unknown[]> {
  const rest = [...chunks]
  const connection = { read: async () => rest.shift() ?? null } as unknown as Connection
  const context = contextOf(accept)
  const reader = new MessageReader(connection, context)
  const told: unknown[] = []
  try {
    for (let next = await reader.next('body'); next !== null; next = await reader.next('body')) {
      told.push(...readMessage(next.message, context))
    }
    return told
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return [...told, error.message]
  }
}

export const z3950: Target = {
  about:
    "properties 11, 13 and 14: a catalogue's octets are answers or an error, the same however they are cut, and reading them ends",
  generate: (random) => [
    mutated(random, random.several(3, () => random.pick(answers)) || random.pick(answers)),
    random.pick(['', 'application/json', 'application/marcxml+xml', 'application/xml']),
    String(random.below(1e9)),
  ],
  async check(text = '', accept = '', seed = '0') {
    const octets = Buffer.from(text, 'latin1')
    const whole = await readAll(
      [octets].filter((chunk) => chunk.length > 0),
      accept,
    )
    requireEqual(await readAll(cut(octets, Number(seed)), accept), whole, 'cut otherwise, it is read otherwise')
  },
}

/** A record of MARC that is whole, whose fields lie anywhere, also over each other, and hold anything. */
function invented(random: Random): string {
  const data = random.several(12, () =>
    random.pick([
      '\x1f',
      '\x1fa',
      '\x1e',
      '\x1d',
      '\x1b',
      '\x1b(N',
      '\x1b$1',
      '\xe2e',
      '\xf0',
      'é',
      '\0',
      'ab c',
      '\u0080',
    ]),
  )
  const digits = (value: number, count: number): string => String(value).padStart(count, '0').slice(-count)
  const within = (): number => random.below(data.length + (random.chance(5) ? 3 : 1))
  const entries = random.several(30, () => {
    const start = within()
    const length = random.chance(90) ? random.below(Math.max(data.length - start, 0) + 1) : within()
    return random.pick(['001', '008', '245', '100', '9AZ']) + digits(length, 4) + digits(start, 5)
  })
  const base = 24 + entries.length + 1
  const leader = `${digits(base + data.length + 1, 5)}nam ${random.pick(['a', ' '])}22${digits(base, 5)}   4500`
  return `${leader}${entries}\x1e${data}\x1d`
}

export const marc: Target = {
  about: 'property 14: octets are a record of MARC, which becomes XML and JSON without controls, or an error',
  generate: (random) => [
    random.chance(50)
      ? invented(random)
      : mutated(random, marcOf(random.pick(catalogue.books ?? [])).toString('latin1')),
  ],
  check(text = '') {
    try {
      const record = readMarc(Buffer.from(text, 'latin1'), text.length % 2 === 0)
      const xml = marcXml(record)
      require(!/[\0-\x08\x0B\x0C\x0E-\x1F]/.test(xml), 'XML cannot have this character')
      require(xml.length <= 200 + 100 * text.length, 'it becomes much larger than it is')
      JSON.parse(JSON.stringify(marcJson(record)))
    } catch (error) {
      if (!(error instanceof MarcError)) throw error
    }
  },
}

export const z3950Query: Target = {
  about: 'property 16: a query in CCL or PQF becomes BER that is whole, or an error with a place in it',
  generate: (random) => [
    random.several(
      9,
      () =>
        random.pick([
          '@and',
          '@or',
          '@attr',
          '@attr 1=4',
          '@term',
          '1=4',
          '"a b"',
          '"',
          '(',
          ')',
          'ti=',
          'au',
          '<=',
          'and',
          'not',
          'x?',
          'é',
          '\\',
        ]),
      random.pick([' ', '']),
    ),
  ],
  check(query = '') {
    try {
      const octets = Buffer.from(rpnOf(readQuery(query)), 'latin1')
      requireEqual(readNode(octets)?.size, octets.length, 'the BER is not whole')
    } catch (error) {
      if (!(error instanceof QueryError)) throw error
      require(error.offset >= 0 && error.offset <= query.length, 'the place is outside')
    }
  },
}
