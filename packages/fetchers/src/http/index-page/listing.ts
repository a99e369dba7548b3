import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../../plugin/fetcher.ts'
import { ownField } from '../../plugin/request-options.ts'
import { IndexedDirectory } from './directory.ts'
import type { IndexPage } from './html.ts'
import { isJsonIndex, jsonEntries } from './json.ts'
import { octetsOf } from './text.ts'
import { TitleScanner, titleKind } from './title.ts'

/** A page that is no index by then is none: style sheets and icons stand before the first row, but not more of them. */
const maxPeek = 256 * 1024

/**
 * An index of a directory, which the server made itself, as a listing; anything else as it is. Only the beginning of
 * the body is looked at; the octets of the body stay the same.
 */
export async function asListing(retrieved: Retrieved, plan: HttpPlan, context: RetrievalContext): Promise<Retrieved> {
  const isJson = retrieved.mediaType === 'application/json' && asksForJson(context)
  if (!(isJson || retrieved.mediaType === 'text/html') || !mayBeIndex(retrieved, plan, context)) return retrieved
  const octets = retrieved.body[Symbol.asyncIterator]()
  const peek = await peekAt(octets, isJson ? new JsonRecogniser() : new HtmlRecogniser(context), context)
  const { reusable } = retrieved
  const whole = {
    ...retrieved,
    body: new PeekedBody(peek, octets),
    ...(reusable && { lent: new PeekedBody(peek, reusable[Symbol.asyncIterator]()) }),
  }
  if (!peek.isIndex) return whole
  // The parser is loaded for those who need it.
  const read = isJson ? jsonEntries : (await import('./html.ts')).htmlEntries
  const entries: Retrieved['entries'] = (body) => read(body, new IndexedDirectory(context.url, context.limits), context)
  return { ...whole, kind: 'listing', entries }
}

/**
 * A path that ends in `/`, or names no file: some servers show the directory `files` without a `/` behind its name. A
 * page that a proxy makes of an FTP directory is none of the server's.
 */
function mayBeIndex({ metadata }: Retrieved, { target }: HttpPlan, { request, url }: RetrievalContext): boolean {
  const path = target.replace(/\?.*$/s, '')
  const isOfHttp = /^https?:/i.test(url) && URL.canParse(url)
  return isOfHttp && /(?:^|\/)[^./]*$/.test(path) && metadata.status === 200 && request.head !== true
}

/** Else what comes is a document of its own for all we know. */
function asksForJson({ request }: RetrievalContext): boolean {
  return /json/i.test(ownField(request, 'accept') ?? request.accept ?? '')
}

/** Looks at the beginning of a body, one octet a character. Undefined: more must come before it is known. */
interface Recogniser {
  add(text: string): Promise<boolean | undefined>
  /** `isAll` is false where more would have come. */
  end(isAll: boolean): Promise<boolean>
}

/** Most pages are told from an index by their title; the others are parsed. */
class HtmlRecogniser implements Recogniser {
  readonly #context: RetrievalContext
  readonly #scanner = new TitleScanner()
  #page: IndexPage | null = null

  constructor(context: RetrievalContext) {
    this.#context = context
  }

  async add(text: string): Promise<boolean | undefined> {
    if (this.#page !== null) return this.#page.add(text)
    const title = this.#scanner.add(text)
    if (title === undefined) return undefined
    return title === null ? false : this.#open(title)
  }

  async end(isAll: boolean): Promise<boolean> {
    // Nothing of a body has come yet.
    return this.#page?.end(isAll) ?? false
  }

  async #open(title: string): Promise<boolean | undefined> {
    const { url, limits } = this.#context
    const directory = new IndexedDirectory(url, limits)
    if (titleKind(title, directory) === 'other') return false
    const { IndexPage } = await import('./html.ts')
    this.#page = new IndexPage(directory)
    return this.#page.add(this.#scanner.page)
  }
}

class JsonRecogniser implements Recogniser {
  #beginning = ''

  async add(text: string): Promise<boolean | undefined> {
    this.#beginning += text
    return isJsonIndex(this.#beginning)
  }

  async end(): Promise<boolean> {
    return false
  }
}

/** The beginning of a body: what has been taken of it. */
interface Peek {
  readonly chunks: Uint8Array[]
  readonly isIndex: boolean
  /** What ended the body meanwhile; it comes behind the chunks. */
  readonly failure: { readonly error: unknown } | null
}

async function peekAt(
  octets: AsyncIterator<Uint8Array>,
  recogniser: Recogniser,
  { deadline }: RetrievalContext,
): Promise<Peek> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    while (true) {
      const { done, value } = await octets.next()
      if (done) return { chunks, isIndex: await recogniser.end(true), failure: null }
      chunks.push(value)
      length += value.length
      const isIndex = await recogniser.add(octetsOf(value))
      if (isIndex !== undefined) return { chunks, isIndex, failure: null }
      if (length > maxPeek) return { chunks, isIndex: await recogniser.end(false), failure: null }
    }
  } catch (error) {
    deadline.throwIfAborted()
    return { chunks, isIndex: false, failure: { error } }
  }
}

/** A body with its beginning put back in front. */
class PeekedBody implements AsyncIterableIterator<Uint8Array> {
  readonly #beginning: Generator<Uint8Array, undefined>
  readonly #rest: AsyncIterator<Uint8Array>
  #failure: Peek['failure']

  constructor({ chunks, failure }: Peek, rest: AsyncIterator<Uint8Array>) {
    this.#beginning = takeAll(chunks)
    this.#failure = failure
    this.#rest = rest
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const taken = this.#beginning.next()
    if (taken.done !== true) return { done: false, value: taken.value }
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure.error
    return this.#rest.next()
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#beginning.return(undefined)
    await this.#rest.return?.()
    return { done: true, value: undefined }
  }
}

/** Gives each once; a server may have sent them octet by octet. */
function* takeAll(chunks: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  yield* chunks
  return undefined
}
