import { RetrievalError } from '@retriever/core'
import type { ByteSource, EmittedEvent, Entry, Outcome, RetrievalContext } from '@retriever/fetchers/plugin'
import type { Answer, RecordedBody, RecordedEntries, RecordedEvent } from './transcript.ts'

/** The most octets of a chunk. */
const chunkSize = 65_536

/** Gives the outcome of the fetcher as it was recorded, or throws the error that it threw. */
export function revived(answer: Answer, context: RetrievalContext): Outcome {
  if (answer.outcome === 'error') throw RetrievalError.from(answer.error)
  if (answer.outcome !== 'retrieved') return answer
  const { body, entries, notAFile, modified, ...rest } = answer
  return {
    ...rest,
    modified: modified == null ? null : new Date(modified),
    body: new RevivedBody(body, context),
    ...(notAFile !== undefined && { notAFile: RetrievalError.from(notAFile) }),
    ...(entries !== undefined && { entries: (octets) => revivedEntries(entries, octets, context) }),
  }
}

export function emitAgain(events: readonly RecordedEvent[], { emit }: RetrievalContext): void {
  for (const event of events) emit(revivedEvent(event))
}

function revivedEvent(event: RecordedEvent): EmittedEvent {
  return event.type === 'retried' ? { ...event, error: RetrievalError.from(event.error) } : event
}

class RevivedBody implements ByteSource {
  readonly #body: RecordedBody
  readonly #context: RetrievalContext
  #left: Uint8Array
  #isOver = false

  constructor(body: RecordedBody, context: RetrievalContext) {
    this.#body = body
    this.#context = context
    this.#left = Buffer.from(body.text ?? body.base64 ?? '', body.text === undefined ? 'base64' : 'utf8')
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#left.length > 0) {
      const chunk = this.#left.subarray(0, chunkSize)
      this.#left = this.#left.subarray(chunk.length)
      return chunk
    }
    if (this.#isOver) return null
    this.#isOver = true
    const { events = [], error, cut } = this.#body
    emitAgain(events, this.#context)
    if (error !== undefined) throw RetrievalError.from(error)
    if (cut) throw cutError(this.#context, 'octets of the body')
    return null
  }

  async cancel(): Promise<void> {
    this.#left = new Uint8Array(0)
    this.#isOver = true
  }
}

/** Yields the entries as recorded. It reads the body, too, because the body's end or error ends the retrieval. */
async function* revivedEntries(
  { list, cut, error }: RecordedEntries,
  octets: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry> {
  for (const { modified, ...entry } of list) {
    yield { ...entry, ...(modified !== undefined && { modified: new Date(modified) }) }
  }
  for await (const _ of octets);
  if (error !== undefined) throw RetrievalError.from(error)
  if (cut) throw cutError(context, 'entries')
}

function cutError({ error }: RetrievalContext, what: string): RetrievalError {
  const message = `The transcript has no further ${what}: not all were read or kept when it was recorded.`
  return error('partial', message, { phase: 'body' })
}
