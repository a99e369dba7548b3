import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../fetcher.ts'
import { ownField } from '../wishes.ts'
import { IndexedDirectory } from './index-entry.ts'
import { generatorOf, jsonGeneratorOf, type Recognise } from './index-generators.ts'
import { jsonEntries } from './index-json.ts'
import { octetsOf } from './index-text.ts'

/**
 * An index of a directory, which the server made itself, as a listing; anything else as it is. Only the beginning of
 * the body is looked at, and only where the path ends in `/`; the octets of the body stay the same.
 */
export async function listed(retrieved: Retrieved, plan: HttpPlan, context: RetrievalContext): Promise<Retrieved> {
  const { mediaType, metadata } = retrieved
  const isJson = mediaType === 'application/json' && asksForJson(context)
  if (!(isJson || mediaType === 'text/html') || !mayBeIndex(retrieved, plan, context)) return retrieved
  const octets = retrieved.body[Symbol.asyncIterator]()
  const peek = await peekAt(octets, isJson ? jsonGeneratorOf : generatorOf, context)
  const { lent } = retrieved
  const whole = {
    ...retrieved,
    body: new PeekedBody(peek, octets),
    ...(lent && { lent: new PeekedBody(peek, lent[Symbol.asyncIterator]()) }),
  }
  if (peek.generator === null) return whole
  // The parser is loaded for those who need it.
  const read = isJson ? jsonEntries : (await import('./index-html.ts')).htmlEntries
  return {
    ...whole,
    kind: 'listing',
    metadata: { ...metadata, generator: peek.generator },
    entries: (body) => read(body, new IndexedDirectory(context.url, context.limits), context),
  }
}

function mayBeIndex({ metadata }: Retrieved, { target }: HttpPlan, { request, url }: RetrievalContext): boolean {
  const path = target.replace(/\?.*$/s, '')
  return path.endsWith('/') && metadata.status === 200 && request.head !== true && URL.canParse(url)
}

/** Else what comes is a document of its own for all we know. */
function asksForJson({ request }: RetrievalContext): boolean {
  return /json/i.test(ownField(request, 'accept') ?? request.accept ?? '')
}

/** The beginning of a body: what has been taken of it. */
interface Peek {
  readonly chunks: Uint8Array[]
  readonly generator: string | null
  /** What ended the body meanwhile; it comes behind the chunks. */
  readonly failure: { readonly error: unknown } | null
}

async function peekAt(
  octets: AsyncIterator<Uint8Array>,
  recognise: Recognise,
  { deadline }: RetrievalContext,
): Promise<Peek> {
  const chunks: Uint8Array[] = []
  let text = ''
  try {
    while (true) {
      const { done, value } = await octets.next()
      if (!done) {
        chunks.push(value)
        text += octetsOf(value)
      }
      const generator = recognise(text, done === true)
      if (generator !== undefined) return { chunks, generator, failure: null }
    }
  } catch (error) {
    deadline.throwIfAborted()
    return { chunks, generator: null, failure: { error } }
  }
}

/** A body with its beginning put back in front. */
class PeekedBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: Uint8Array[]
  readonly #rest: AsyncIterator<Uint8Array>
  #failure: Peek['failure']

  constructor({ chunks, failure }: Peek, rest: AsyncIterator<Uint8Array>) {
    this.#chunks = [...chunks]
    this.#failure = failure
    this.#rest = rest
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#chunks.shift()
    if (value !== undefined) return { done: false, value }
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure.error
    return this.#rest.next()
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks.length = 0
    await this.#rest.return?.()
    return { done: true, value: undefined }
  }
}
