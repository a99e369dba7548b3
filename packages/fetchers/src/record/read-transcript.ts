import { readFile, stat } from 'node:fs/promises'
import { errorCodes, RetrievalError } from '@retriever/core'
import { type Line, version } from './transcript.ts'

/** The most octets of a transcript, which is read as a whole. */
const maxTranscript = 256 * 1024 * 1024

/** The lines of a transcript, in the order in which the fetchers were asked. Rejects with `file-failed`. */
export async function readTranscript(file: string): Promise<readonly Line[]> {
  const [header, ...lines] = (await textOf(file)).split('\n')
  const { transcript, version: written } = members(parsed(file, header ?? '', 1))
  if (transcript !== '@retriever/fetchers/record') throw failed(file, 'its first line is not the header of one')
  if (written !== version) {
    throw failed(file, `it has version ${String(written)}, and this release reads version ${version}; record it again`)
  }
  const read = lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const value = parsed(file, line, index + 2)
    if (!isLine(value)) throw failed(file, `line ${index + 2} is no retrieval`)
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
    throw failed(file, String(cause), cause)
  }
}

function parsed(file: string, line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw failed(file, `line ${number} is not JSON`, cause)
  }
}

/** Whether the value has the members that are read without further checks. A person may have edited it. */
function isLine(value: unknown): value is Line {
  const { number, url, mechanism, request, events, answer } = members(value)
  const isHead = typeof number === 'number' && typeof url === 'string' && typeof mechanism === 'string'
  return isHead && isRecord(request) && areEvents(events) && isAnswer(members(answer))
}

function isAnswer({ outcome, location, error, body, entries, metadata, program }: Record<string, unknown>): boolean {
  if (outcome === 'redirect') return typeof location === 'string'
  if (outcome === 'handoff') return typeof program === 'string'
  if (outcome === 'error') return isError(error)
  const { list = entries } = members(entries)
  const isListed = entries === undefined || Array.isArray(list)
  return outcome === 'retrieved' && isRecord(metadata) && isBody(body) && isListed
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
