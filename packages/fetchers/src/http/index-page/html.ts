import { Parser } from 'htmlparser2'
import type { Entry, RetrievalContext } from '../../plugin/fetcher.ts'
import type { IndexedDirectory } from './directory.ts'
import { IndexEvidence } from './evidence.ts'
import { factsOf } from './facts.ts'
import { LinkReader, maxDepth, type PageLink } from './links.ts'
import { indexText } from './text.ts'

/**
 * The entries of an index page as its octets come. Rejects with `limit-exceeded` past limits.maxListing, or where
 * elements are nested beyond all reason.
 */
export async function* htmlEntries(
  body: AsyncIterable<Uint8Array>,
  directory: IndexedDirectory,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const reader = new LinkReader(() => {
    const message = `The index page nests over ${maxDepth} elements; it is none to be read.`
    return context.error('limit-exceeded', message, { phase: 'body' })
  })
  const parser = new Parser(reader)
  for await (const text of indexText(body, context)) {
    parser.write(text)
    yield* entriesOf(reader.take(), directory)
  }
  parser.end()
  yield* entriesOf(reader.take(), directory)
}

function* entriesOf(links: readonly PageLink[], directory: IndexedDirectory): Generator<Entry, void, void> {
  for (const link of links) {
    const entry = directory.entry(link.href, factsOf(link), isCalledDirectory(link))
    if (entry !== null) yield entry
  }
}

/** For servers that write no `/` behind the names of directories: `class="icon-directory"`, `<DIR>`, `drwxr-xr-x`. */
function isCalledDirectory({ classes, before, within, after }: PageLink): boolean {
  return (
    /(?:^|[\s-])(?:directory|folder)(?:$|\s)/i.test(classes) ||
    /(?:^|\s)(?:<dir>|\[dir\]|\(?d[r-][w-][xsStT-][r-][w-][xsStT-][r-][w-][xsStT-])/i.test(
      `${before}\t${within}\t${after}`,
    )
  )
}

/** Looks at the beginning of a page, to tell whether it is an index. */
export class IndexPage {
  readonly #evidence: IndexEvidence
  readonly #reader = new LinkReader(() => new TooDeep())
  readonly #parser = new Parser(this.#reader)

  constructor(directory: IndexedDirectory) {
    this.#evidence = new IndexEvidence(directory, this.#reader)
  }

  /** Undefined: more must come before it is known. */
  add(text: string): boolean | undefined {
    return this.#verdict(() => this.#parser.write(text))
  }

  /** By all that has come; `isAll` is false where more would have. */
  end(isAll: boolean): boolean {
    return this.#verdict(() => this.#parser.end()) ?? this.#evidence.isIndex(isAll)
  }

  #verdict(parse: () => void): boolean | undefined {
    let isTooDeep = false
    try {
      parse()
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      isTooDeep = true
    }
    for (const link of this.#reader.take()) {
      const verdict = this.#evidence.add(link)
      if (verdict !== undefined) return verdict
    }
    return isTooDeep ? false : undefined
  }
}

class TooDeep extends Error {}
