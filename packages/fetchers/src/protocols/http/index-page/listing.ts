import type { HttpPlan } from '@retriever/core/internal'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import { sourceOf } from '../../../kit/byte-source.ts'
import { ownField } from '../../../kit/request-options.ts'
import { webUrl } from '../../../kit/web-url.ts'
import { IndexedDirectory } from './directory.ts'
import type { IndexPage } from './html.ts'
import { isJsonIndex, jsonEntries } from './json.ts'
import { octetsOf } from './text.ts'
import { TitleScanner, titleKind } from './title.ts'

/** An index must be recognised within this many octets: style sheets and icons may stand before the first row. */
const maxPeek = 256 * 1024

/**
 * Turns a directory index that the server itself wrote into a listing; any other page stays as it is. It examines only
 * the beginning of the body, and the octets stay the same.
 */
export async function asListing(
  retrieved: Retrieved<'http'>,
  plan: HttpPlan,
  context: RetrievalContext,
): Promise<Retrieved<'http'>> {
  const isJson = retrieved.mediaType === 'application/json' && asksForJson(context)
  if (!(isJson || retrieved.mediaType === 'text/html') || !mayBeIndex(retrieved, plan, context)) return retrieved
  const source = sourceOf(retrieved.body)
  const peek = await peekAt(source, isJson ? new JsonRecogniser() : new HtmlRecogniser(context), context)
  const whole = { ...retrieved, body: new PeekedBody(peek, source) }
  if (!peek.isIndex) return whole
  // The parser is loaded only for an index.
  const read = isJson ? jsonEntries : (await import('./html.ts')).htmlEntries
  const entries: Retrieved['entries'] = (body) => read(body, new IndexedDirectory(context.url, context.limits), context)
  return { ...whole, kind: 'listing', entries }
}

/**
 * Whether the path ends in `/` or names no file: some servers show the directory `files` without a `/` after its name.
 * A page that a proxy makes of an FTP directory does not count.
 */
function mayBeIndex(
  { metadata }: Retrieved<'http'>,
  { target }: HttpPlan,
  { request, url }: RetrievalContext,
): boolean {
  const path = target.replace(/\?.*$/s, '')
  const isOfHttp = /^https?:/i.test(url) && webUrl(url) !== null
  return isOfHttp && /(?:^|\/)[^./]*$/.test(path) && metadata.status === 200 && request.head !== true
}

/** Whether the caller asks for JSON. Otherwise a JSON document may be anything. */
function asksForJson({ request }: RetrievalContext): boolean {
  return /json/i.test(ownField(request, 'accept') ?? request.accept ?? '')
}

/** Looks at the beginning of a body, one octet a character. Undefined: more octets are needed. */
interface Recogniser {
  add(text: string): Promise<boolean | undefined>
  /** `isAll` is false if more octets would have come. */
  end(isAll: boolean): Promise<boolean>
}

/** Recognises an index in HTML. The title excludes most pages; the others are parsed. */
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

/** The beginning of a body, which was read to examine it. */
interface Peek {
  readonly chunks: Uint8Array[]
  readonly isIndex: boolean
  /** The failure that ended the body while it was examined. The consumer gets it after the chunks. */
  readonly failure: { readonly error: unknown } | null
}

async function peekAt(source: ByteSource, recogniser: Recogniser, { deadline }: RetrievalContext): Promise<Peek> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    while (true) {
      const chunk = await source.read()
      if (chunk === null) return { chunks, isIndex: await recogniser.end(true), failure: null }
      chunks.push(source.reusesChunks === true ? new Uint8Array(chunk) : chunk)
      length += chunk.length
      const examined = Math.max(0, maxPeek + chunk.length - length)
      const isIndex = await recogniser.add(octetsOf(chunk.subarray(0, examined)))
      if (isIndex !== undefined) return { chunks, isIndex, failure: null }
      if (length > maxPeek) return { chunks, isIndex: await recogniser.end(false), failure: null }
    }
  } catch (error) {
    deadline.throwIfAborted()
    return { chunks, isIndex: false, failure: { error } }
  }
}

/** A body whose beginning was read. It gives the beginning again. */
class PeekedBody implements ByteSource {
  readonly #peek: Peek
  readonly #rest: ByteSource
  /** How many chunks of the beginning were given out. A server may have sent many chunks of one octet. */
  #given = 0
  #isRest = false

  constructor(peek: Peek, rest: ByteSource) {
    this.#peek = peek
    this.#rest = rest
  }

  get reusesChunks(): boolean {
    return this.#isRest && this.#rest.reusesChunks === true
  }

  async read(): Promise<Uint8Array | null> {
    const { chunks, failure } = this.#peek
    const chunk = chunks[this.#given++]
    if (chunk !== undefined) return chunk
    if (failure !== null && !this.#isRest) {
      this.#isRest = true
      throw failure.error
    }
    this.#isRest = true
    return this.#rest.read()
  }

  cancel(): Promise<void> {
    this.#given = this.#peek.chunks.length
    return this.#rest.cancel()
  }
}
