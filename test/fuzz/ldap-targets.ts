import { RetrievalError } from '@retriever/core'
import type { LdapPlan } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import { type Attribute, readAnswer } from '../../packages/fetchers/src/protocols/ldap/answers.ts'
import { ldifEntries } from '../../packages/fetchers/src/protocols/ldap/entries.ts'
import { ldifRecord, ldifReferences, ldifVersion } from '../../packages/fetchers/src/protocols/ldap/ldif.ts'
import { MessageReader } from '../../packages/fetchers/src/protocols/ldap/messages.ts'
import { BerError } from '../../packages/fetchers/src/wire/framing/ber.ts'
import type { Connection } from '../../packages/fetchers/src/wire/transport/connection.ts'
import { cut } from './cut.ts'
import type { Random } from './random.ts'
import { require, requireEqual, type Target } from './target.ts'

// The rest of a context is not used.
const context = {
  limits: { maxListing: Number.POSITIVE_INFINITY, maxReply: 65_536 },
  deadline: { throwIfAborted: () => {} },
  error: (code: 'partial', message: string) => new RetrievalError(code, message, { phase: 'body' }),
} as unknown as RetrievalContext

/** Elements that fit into one another, and some whose lengths lie. */
function element(random: Random, depth = 0): string {
  const tag = random.pick([
    '\x02',
    '\x04',
    '\x0a',
    '\x30',
    '\x31',
    '\x64',
    '\x65',
    '\x73',
    '\x78',
    '\xa0',
    '\xa3',
    '\x8a',
  ])
  const isConstructed = (tag.charCodeAt(0) & 0x20) !== 0
  const content =
    isConstructed && depth < 5
      ? random.several(5, () => element(random, depth + 1))
      : random.several(3, () => random.pick(['', '\0', '\x01', 'cn', '\xff', 'x'.repeat(60)]))
  const lie = random.pick([
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '\x80',
    '\x84\xff\xff\xff\xf0',
    '\x84\0\0\0\x01',
    '\x89\x01',
    '\x7f',
  ])
  return tag + (lie === '' ? length(content.length) : lie) + content
}

function length(count: number): string {
  return count < 0x80 ? String.fromCharCode(count) : `\x82${String.fromCharCode(count >> 8, count & 0xff)}`
}

async function readAll(chunks: readonly Buffer[]): Promise<readonly unknown[]> {
  const rest = chunks.filter((chunk) => chunk.length > 0)
  const connection = { read: async () => rest.shift() ?? null } as unknown as Connection
  const reader = new MessageReader(connection, context)
  const told: unknown[] = []
  try {
    while (true) {
      const operation = await reader.peekOperation()
      if (operation === null) return told
      told.push(operation)
      const message = await reader.next('body')
      if (message === null) return told
      told.push(readAnswer(message))
    }
  } catch (error) {
    if (!RetrievalError.is(error) && !(error instanceof BerError)) throw error
    return [...told, error.message]
  }
}

export const ldap: Target = {
  about:
    "properties 11, 13 and 14: a directory's octets are answers or an error, the same however they are cut, and reading them ends",
  generate: (random) => [
    random.several(4, () => {
      const body = `\x02\x01\x01${element(random)}`
      return random.pick([`\x30${length(body.length)}${body}`, `\x30${length(body.length)}${body}`, element(random)])
    }),
    String(random.below(1e9)),
  ],
  async check(text = '', seed = '0') {
    const octets = Buffer.from(text, 'latin1')
    requireEqual(
      await readAll(cut(octets, Number(seed))),
      await readAll([octets]),
      'cut otherwise, it is read otherwise',
    )
  },
}

const plan: LdapPlan = {
  mechanism: 'ldap',
  host: 'h',
  port: 389,
  tls: 'none',
  dn: '',
  attributes: [],
  scope: 'sub',
  filter: '(objectClass=*)',
  extensions: [],
  socket: null,
  wire: [],
}

export const ldif: Target = {
  about: 'property 15: an entry that is written as LDIF is read as it was, whatever octets its values have',
  generate: (random) => {
    const value = (): string =>
      random.several(8, () =>
        random.pick(['\n', '\r', ' ', ':', '<', '#', 'dn: x', '\0', '\xff', 'é', 'x'.repeat(70), 'a']),
      )
    return [value(), value(), value(), value(), String(random.below(1e9))]
  },
  async check(dn = '', first = '', second = '', url = '', seed = '0') {
    const octets = (text: string): Buffer => Buffer.from(text, 'latin1')
    const attributes: readonly Attribute[] = [
      { type: 'cn', values: [octets(first), octets(second)] },
      { type: '__proto__', values: [octets(second)] },
    ]
    const text = `${ldifVersion}${ldifRecord(octets(dn), attributes)}${ldifReferences([url])}`
    require(/^[\n -~\t\x01-\x1f\x7f]*$/.test(text), 'it is not ASCII')
    require(text.split('\n').every((line) => line.length <= 76), 'a line is too long')
    const entries: Entry[] = []
    const body = (async function* () {
      yield* cut(octets(text), Number(seed))
    })()
    for await (const entry of ldifEntries(body, plan, context)) entries.push(entry)
    requireEqual(
      entries.map(({ kind }) => kind),
      ['file', 'link'],
      'it has other entries',
    )
    const read = Object.entries(Object(entries[0]?.details?.attributes)).map(([type, values]) => [type, values])
    const value = (text: string): unknown => {
      const isText = Buffer.from(octets(text).toString('utf8')).equals(octets(text))
      return isText ? octets(text).toString('utf8') : { base64: octets(text).toString('base64') }
    }
    const wanted = [
      ['cn', [value(first), value(second)]],
      ['__proto__', [value(second)]],
    ]
    requireEqual(read, wanted, 'its values are others')
  },
}
