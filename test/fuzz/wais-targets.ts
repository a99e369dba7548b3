import { parseUrl, RetrievalError, resolve } from '@retriever/core'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import type { WaisAnswer } from '../../packages/fetchers/src/protocols/wais/answer.ts'
import { documentPath } from '../../packages/fetchers/src/protocols/wais/docid.ts'
import { entryOf, lineOf } from '../../packages/fetchers/src/protocols/wais/listing.ts'
import { MarkRemover } from '../../packages/fetchers/src/protocols/wais/marks.ts'
import { WaisDialogue } from '../../packages/fetchers/src/protocols/wais/packets.ts'
import { recordsOf } from '../../packages/fetchers/src/protocols/wais/search.ts'
import type { Connection } from '../../packages/fetchers/src/wire/transport/connection.ts'
import { field } from '../protocols/wais/support/fields.ts'
import { cut } from './cut.ts'
import type { Random } from './random.ts'
import { require, requireEqual, type Target } from './target.ts'

// The rest of a context is not used.
const context = {
  url: 'wais://h/db',
  emit: () => {},
  deadline: { throwIfAborted: () => {} },
  error: (code: 'partial', message: string) => new RetrievalError(code, message, { phase: 'body' }),
} as unknown as RetrievalContext

/** A search response as a real server sends it, with such records. */
function answer(...records: readonly string[]): string {
  const apdu = `\0\x0e\x17\x01\0\0\0\0\0${String.fromCharCode(records.length)}\0\0\0\x1b\x01\0${field(99, records.join(''))}`
  return `${String(apdu.length).padStart(10, '0')}z2wais        0${apdu}`
}

function document(wtype: string, headline: string, length: string): string {
  const local = field(3, '0 140 /docs/page.html')
  const docid = `${field(1, 'h:210')}${field(2, 'db')}${local}${field(4, 'h:210')}${field(5, 'db')}${field(6, 'x')}${field(7, '\0')}`
  const numbers = `${field(118, '\x01\xa0')}${field(119, '\0')}${field(120, length)}${field(131, '\x02')}`
  const types = field(132, field(133, wtype) + field(133, 'GIF'))
  return field(
    150,
    `${field(116, docid)}${numbers}${types}${field(121, 'db')}${field(122, '0')}${field(123, headline)}`,
  )
}

const text = field(153, field(116, field(3, '0 9 /a')) + field(117, '\0') + field(127, 'A \x1b(word\x1b) in a text.\n'))
const diagnostic = '\x1c\0\x18SFRequest out of range\x01\x1d'

/** Answers as a real server sends them, of which mutated ones are made. */
const usual = [
  answer(document('TEXT', 'page.html   /docs/', '\x8c'), document('URL', 'http://www.example.org/', '\x04\x5a')),
  answer(document('WSRC', 'caf\xe9 \x1b(word\x1b)', '\0')),
  answer(text),
  answer(text, diagnostic),
  answer(diagnostic),
  answer(),
  '0000000000z2wais        0',
]

/** Octets that tell lengths, tags, and numbers without an end. */
const octets = [
  '\0',
  '\x01',
  '\x0e',
  '\x17',
  '\x1b',
  '\x1c',
  '\x1d',
  '\x63',
  '\x74',
  '\x7f',
  '\x80',
  '\x81',
  '\xff',
  '0',
]

/** A recorded answer with some octets replaced, inserted, left out or doubled. */
function mutated(random: Random): string {
  let answer = random.pick(usual)
  for (let count = random.below(6); count > 0; count--) {
    const at = random.below(answer.length + 1)
    const size = random.pick([0, 1, 1, 2, 25, 300])
    const inserted = random.pick(['', random.pick(octets), random.pick(octets).repeat(random.below(6))])
    const doubled = random.chance(10) ? answer.slice(at, at + size) : ''
    answer = answer.slice(0, at) + inserted + doubled + answer.slice(at + (doubled === '' ? size : 0))
  }
  // A length that is right lets the rest be read.
  return random.chance(70) ? `${String(Math.max(0, answer.length - 25)).padStart(10, '0')}${answer.slice(10)}` : answer
}

async function readAll(chunks: readonly Buffer[]): Promise<readonly unknown[]> {
  const rest = chunks.filter((chunk) => chunk.length > 0)
  const connection = { read: async () => rest.shift() ?? null, sendMessage: async () => {} } as unknown as Connection
  const dialogue = new WaisDialogue(connection, context)
  const told: unknown[] = []
  try {
    while (true) told.push(recordsOf(await dialogue.answer('body'), 'body', context))
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return [...told, error.message]
  }
}

export const wais: Target = {
  about:
    "properties 11 and 14: a WAIS server's octets are answers or an error, the same however they are cut; entries have URLs that resolve",
  generate: (random) => [
    random.chance(20) ? mutated(random) + mutated(random) : mutated(random),
    `${random.below(1e9)}`,
  ],
  async check(text = '', seed = '0') {
    const answers = await readAll([Buffer.from(text, 'latin1')])
    requireEqual(await readAll(cut(Buffer.from(text, 'latin1'), Number(seed))), answers, 'cut otherwise, it differs')
    for (const answer of answers) if (typeof answer === 'object') checkEntries(answer as WaisAnswer)
  },
}

const { plan } = resolve('wais://h/db?word')

function checkEntries({ documents }: WaisAnswer): void {
  for (const found of documents) {
    require(plan.mechanism === 'wais', 'the plan is one of WAIS')
    const entry = entryOf(found, plan)
    require(/^[^\0-\x1f\x7f\n]*\n$/.test(lineOf(entry).replaceAll('\t', '')), 'a line of the listing has controls')
    if (entry.url === null) continue
    parseUrl(entry.url)
    if (!entry.url.startsWith('wais://h/db/')) continue
    const resolved = resolve(entry.url).plan
    require(resolved.mechanism === 'wais', 'it leads to another mechanism')
    requireEqual(resolved.docid, found.docid, 'its document-id is another one')
  }
}

export const waisDocid: Target = {
  about:
    'properties 11 and 15: a document-id of any octets comes back from its URL as it was, and marks are removed however a text is cut',
  generate: (random) => {
    const value = (): string =>
      random.several(6, () => random.pick([...octets, ';', '=', '/', '%', '1=', 'é', '?', '#']))
    const field = (): string => {
      const content = value()
      return String.fromCharCode(random.below(9)) + String.fromCharCode(content.length) + content
    }
    return [random.chance(70) ? random.several(4, field) : value(), value(), String(random.below(1e9))]
  },
  check(docid = '', text = '', seed = '0') {
    // An id that looks like the written form of fields cannot be told from it: URLs have both, escaped or not.
    if (docid !== '' && !/^(?:\d+\/)?\d+=/.test(docid)) {
      const { plan } = resolve(`wais://h/db/${documentPath(docid, 'TEXT', 7)}`)
      require(plan.mechanism === 'wais', 'it leads to another mechanism')
      requireEqual(plan.docid, docid, 'the document-id is another one')
    }
    const marks = new MarkRemover()
    const pieces = cut(Buffer.from(text, 'latin1'), Number(seed)).map((piece) => Buffer.from(marks.remove(piece)))
    const wanted = text.replace(/\x1b(?:[()]|[^()].{0,3}|$)/gs, '')
    requireEqual(Buffer.concat(pieces).toString('latin1'), wanted, 'the text is another one')
  },
}
