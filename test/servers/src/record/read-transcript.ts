import { readFile, stat } from 'node:fs/promises'
import { errorCodes, RetrievalError } from '@retriever/core'
import { systemReason } from '@retriever/fetchers/internal'
import { type Line, name, version } from './transcript.ts'

/** How many octets a transcript may have, since it is read as a whole. */
const maxTranscript = 256 * 1024 * 1024

/** Reads the lines of a transcript, in the order in which the fetchers were called. Rejects with `file-failed`. */
export async function readTranscript(file: string): Promise<readonly Line[]> {
  const [header, ...lines] = (await textOf(file)).split('\n')
  const { transcript, version: written } = members(parsed(file, header ?? '', 1))
  if (transcript !== name) throw failed(file, 'its first line is not the header of one')
  if (written !== version) {
    throw failed(file, `it has version ${String(written)}, and this release reads version ${version}; record it again`)
  }
  const read = lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const value = parsed(file, line, index + 2)
    if (!isLine(value)) {
      throw failed(file, `line ${index + 2} is no retrieval, as its \`${wrongIn(value)}\` is missing or wrong`)
    }
    return [value]
  })
  return read.sort((one, other) => one.number - other.number)
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > maxTranscript) throw failed(file, `it is over ${maxTranscript} octets`)
    return await readFile(file, 'utf8')
  } catch (cause) {
    if (RetrievalError.is(cause)) throw cause
    throw failed(file, systemReason(cause) ?? String(cause), cause)
  }
}

function parsed(file: string, line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw failed(file, `line ${number} is not JSON`, cause)
  }
}

/** Whether the value has the members that we use without further checks. A person may have edited the file. */
function isLine(value: unknown): value is Line {
  return wrongIn(value) === undefined
}

/** The first member that is missing or wrong. */
function wrongIn(value: unknown): string | undefined {
  const { number, url, mechanism, request, events, answer } = members(value)
  const wrong = firstWrong({
    number: typeof number === 'number',
    url: typeof url === 'string',
    mechanism: typeof mechanism === 'string',
    request: isRecord(request),
    events: areEvents(events),
  })
  return wrong ?? wrongInAnswer(members(answer))
}

function wrongInAnswer(answer: Record<string, unknown>): string | undefined {
  const { outcome, location, error, program } = answer
  if (outcome === 'redirect') return firstWrong({ 'answer.location': typeof location === 'string' })
  if (outcome === 'handoff') return firstWrong({ 'answer.program': typeof program === 'string' })
  if (outcome === 'error') return firstWrong({ 'answer.error': isError(error) })
  return outcome === 'retrieved' ? wrongInResult(answer) : 'answer.outcome'
}

function wrongInResult(result: Record<string, unknown>): string | undefined {
  const { kind, mediaType, charset, size, offset, modified, completeness, metadata, body, entries, notAFile } = result
  return firstWrong({
    'answer.kind': kind === 'object' || kind === 'listing',
    'answer.mediaType': mediaType == null || typeof mediaType === 'string',
    'answer.charset': charset == null || typeof charset === 'string',
    'answer.size': size == null || isCount(size),
    'answer.offset': offset === undefined || isCount(offset),
    'answer.modified': modified == null || isDate(modified),
    'answer.completeness': typeof completeness === 'string',
    'answer.metadata': isRecord(metadata),
    'answer.body': isBody(body),
    'answer.entries': entries === undefined || areEntries(entries),
    'answer.notAFile': notAFile === undefined || isError(notAFile),
  })
}

function firstWrong(checks: Readonly<Record<string, boolean>>): string | undefined {
  return Object.entries(checks).find(([, isRight]) => !isRight)?.[0]
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

function areEntries(entries: unknown): boolean {
  const { list, error } = members(entries)
  return Array.isArray(list) && list.every(isEntry) && (error === undefined || isError(error))
}

function isEntry(entry: unknown): boolean {
  const { name, kind, url, modified } = members(entry)
  const isNamed = typeof name === 'string' && typeof kind === 'string' && (url === null || typeof url === 'string')
  return isNamed && (modified === undefined || isDate(modified))
}

function isBody(body: unknown): boolean {
  const { text, base64, error, events = [] } = members(body)
  const isOctets = typeof text === 'string' || typeof base64 === 'string'
  return isOctets && (error === undefined || isError(error)) && areEvents(events)
}

function areEvents(events: unknown): boolean {
  return (
    Array.isArray(events) &&
    events.every((event) => {
      const { type, error } = members(event)
      return typeof type === 'string' && (type !== 'retried' || isError(error))
    })
  )
}

function isError(error: unknown): boolean {
  const { code, message } = members(error)
  return typeof code === 'string' && Object.hasOwn(errorCodes, code) && typeof message === 'string'
}

function members(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function failed(file: string, why: string, cause?: unknown): RetrievalError {
  const message = `The transcript ${file} cannot be read: ${why}.`
  return new RetrievalError('file-failed', message, { phase: 'resolve', cause })
}
