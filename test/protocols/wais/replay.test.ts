import { readdirSync, readFileSync } from 'node:fs'
import { encodeOctets, type RetrievalError } from '@retriever/core'
import { createClient, type Entry } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { bytesOf, failureOf } from '../../support/contract/observe.ts'
import { entriesOf } from '../../support/entries.ts'
import {
  type Field,
  fieldsOf,
  fieldValue,
  numberOf,
  type RecordedRequest,
  readRecordedAnswer,
  readRequest,
} from './support/fields.ts'
import { type Mode, WaisPlayer } from './support/player.ts'
import { type Exchange, exchangesOf, readRecording } from './support/recording.ts'

/** Recordings of a freeWAIS-sf 2.2.10 server, with its own client or with variations of the requests of that. */
const folder = new URL('./transcripts/', import.meta.url)
const recordings = readdirSync(folder).map((name) => {
  const text = readFileSync(new URL(name, folder), 'latin1')
  return { name, text, exchanges: exchangesOf(readRecording(text)) }
})

/** One retrieval: the request that a URL stands for, and the exchanges that it takes. */
interface Retrieval {
  readonly name: string
  readonly request: RecordedRequest
  readonly exchanges: readonly Exchange[]
}

const retrievals = recordings.flatMap(({ name, exchanges }) => retrievalsIn(name, exchanges))

test('the recordings have searches and documents', () => {
  const kinds = retrievals.map(({ request }) => request.kind)
  expect(kinds.filter((kind) => kind === 'search').length).toBeGreaterThan(20)
  expect(kinds.filter((kind) => kind === 'document').length).toBeGreaterThan(5)
})

test('readRecording gives as many octets as the head of each recording says', () => {
  for (const { name, text } of recordings) {
    const said = [...text.matchAll(/^\[\d+\] [CS]: (\d+) bytes/gm)].map(([, size]) => Number(size))
    const read = readRecording(text).flatMap(({ octets }) => (octets === null ? [] : [octets.length]))
    expect(read, name).toEqual(said)
  }
})

describe.each<Mode>(['whole', 'bytes'])('answers come %s', (mode) => {
  test.each(retrievals.map((retrieval) => [retrieval.name, retrieval] as const))('%s', async (_, retrieval) => {
    const { request, exchanges } = retrieval
    await using player = await WaisPlayer.start(exchanges, mode)
    await using client = createClient({ limits: { maxRetries: 0, idleTimeout: 5000 } })
    const url = `wais://127.0.0.1:${player.port}/${encodeOctets(request.database)}`
    if (request.kind === 'search') await checkSearch(client, `${url}?${encodeOctets(request.words)}`, retrieval)
    else await checkDocument(client, `${url}/${pathOf(request)}`, retrieval)
    expect(player.received).toEqual(exchanges.map(({ request: octets }) => octets))
  })
})

type Client = ReturnType<typeof createClient>

async function checkSearch(client: Client, url: string, { request, exchanges }: Retrieval): Promise<void> {
  const answer = readRecordedAnswer(exchanges[0]?.answer ?? null)
  const limit = request.kind === 'search' && request.most !== 40 ? { limit: request.most } : {}
  if (answer === null || (answer.documents.length === 0 && answer.diagnostics.length > 0)) {
    checkFailure(await failureOf(entriesIn(client, url, limit)), answer?.diagnostics[0])
    return
  }
  const entries = await entriesIn(client, url, limit)
  expect(entries).toHaveLength(answer.documents.length)
  for (const [at, fields] of answer.documents.entries()) checkEntry(entries[at], fields)
}

function checkEntry(entry: Entry | undefined, fields: readonly Field[]): void {
  const types = fieldsOf(fieldValue(fields, 132) ?? '').map(([, value]) => value)
  expect(entry).toMatchObject({
    name: textOf(fieldValue(fields, 123) ?? ''),
    size: numberOf(fieldValue(fields, 120) ?? ''),
    details: { score: numberOf(fieldValue(fields, 118) ?? ''), types },
  })
  const docid = fieldValue(fields, 116) ?? ''
  for (const [tag, value] of fieldsOf(docid)) expect(entry?.url).toContain(`${tag}=${encodeOctets(value, '/$')};`)
}

async function checkDocument(client: Client, url: string, { request, exchanges }: Retrieval): Promise<void> {
  const answers = exchanges.map(({ answer }) => readRecordedAnswer(answer))
  const [first] = answers
  const text = answers.map((answer) => answer?.texts.join('') ?? '').join('')
  if (first === null || first === undefined || text === '') {
    checkFailure(await failureOf(bytesOf(client, url)), first?.diagnostics[0])
    return
  }
  const octets = (await bytesOf(client, url)).toString('latin1')
  const isText = request.kind === 'document' && /^(?:TEXT|WSRC|WCAT|HTML|URL)$/.test(request.wtype)
  expect(octets).toBe(isText ? text.replace(/\x1b(?:[()]|.{4})/gs, '') : text)
}

/** An error whose message has the server's words; without any, an error nevertheless. */
function checkFailure(error: RetrievalError, words: string | undefined): void {
  expect(['server-refused', 'not-found', 'receive-failed']).toContain(error.code)
  if (words !== undefined) expect(error).toMatchObject({ reply: words, message: expect.stringContaining(words) })
}

async function entriesIn(client: Client, url: string, options: object): Promise<Entry[]> {
  return await entriesOf(await client.retrieve(url, options))
}

/** UTF-8 if it is that, or else Latin-1; without blanks around it. */
function textOf(octets: string): string {
  const text = Buffer.from(octets, 'latin1').toString('utf8')
  return (text.includes('\ufffd') ? octets : text).trim()
}

/** The path as old clients wrote it; the last piece tells the length. */
function pathOf({ docid, wtype, end }: Extract<RecordedRequest, { readonly kind: 'document' }>): string {
  const fields = fieldsOf(docid).map(([tag, value]) => `${tag}=${encodeOctets(value, '/$')};`)
  return `${encodeOctets(wtype)}/${end}/${fields.join('')}`
}

/** The retrievals of a recording: searches, and documents from their first octet on. Other requests have no URL. */
function retrievalsIn(name: string, exchanges: readonly Exchange[]): Retrieval[] {
  const found: Retrieval[] = []
  for (const exchange of exchanges) {
    const request = readRequest(exchange.request)
    // No URL names no database, no search is for no document, and our client asks for 10000 octets at a time.
    if (request === null || request.database === '') continue
    if (request.kind === 'search' ? request.most === 0 : request.end - request.start > 10_000) continue
    const last = found.at(-1)
    if (request.kind === 'search' || request.start === 0) {
      found.push({ name: `${name} ${found.length + 1}`, request, exchanges: [exchange] })
    } else if (last?.request.kind === 'document' && last.request.end === request.start) {
      found[found.length - 1] = {
        name: last.name,
        request: { ...last.request, end: request.end },
        exchanges: [...last.exchanges, exchange],
      }
    }
  }
  return found
}
