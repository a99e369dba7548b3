import type { Entry, RetrievalContext } from '../../../contract/fetcher.ts'
import { htmlParser } from '../../../kit/text/html-parser.ts'
import type { IndexedDirectory } from './directory.ts'
import { IndexEvidence } from './evidence.ts'
import { factsOf } from './facts.ts'
import { LinkReader, maxDepth, type PageLink } from './links.ts'
import { indexText } from './text.ts'

/**
 * Yields the entries of an index page while it arrives. Rejects with `limit-exceeded` past limits.maxListing or
 * maxDepth.
 */
export async function* htmlEntries(
  body: AsyncIterable<Uint8Array>,
  directory: IndexedDirectory,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const reader = new LinkReader(() => {
    const message = `The index page nests more than ${maxDepth} elements; retrieve the page itself instead.`
    return context.error('limit-exceeded', message, { phase: 'body' })
  })
  const parser = htmlParser(reader)
  for await (const text of indexText(body, context)) {
    parser.write(text)
    yield* entriesOf(reader.takeLinks(), directory)
  }
  parser.end()
  yield* entriesOf(reader.takeLinks(), directory)
  // An entry without a URL tells a walk that it does not know everything in the directory.
  if (directory.hasMorePages) yield { name: 'The list goes on, on other pages.', kind: 'info', url: null }
}

function* entriesOf(links: readonly PageLink[], directory: IndexedDirectory): Generator<Entry, void, void> {
  for (const link of links) {
    const entry = directory.entry(link.href, factsOf(link), isMarkedDirectory(link))
    if (entry !== null) yield entry
  }
}

/** Whether the page marks a directory other than by a `/`: `class="icon-directory"`, `<DIR>`, `drwxr-xr-x`. */
function isMarkedDirectory({ classes, before, within, after }: PageLink): boolean {
  return (
    /(?:^|[\s-])(?:directory|folder)(?:$|\s)/i.test(classes) ||
    /(?:^|\s)(?:<dir>|\[dir\]|\(?d[r-][w-][xsStT-][r-][w-][xsStT-][r-][w-][xsStT-])/i.test(
      `${before}\t${within}\t${after}`,
    )
  )
}

/** Decides by the beginning of a page whether it is an index. */
export class IndexPage {
  readonly #evidence: IndexEvidence
  readonly #reader = new LinkReader(() => new TooDeep())
  readonly #parser = htmlParser(this.#reader)

  constructor(directory: IndexedDirectory) {
    this.#evidence = new IndexEvidence(directory, this.#reader)
  }

  /** Says whether it is an index. Undefined if more of the page is needed. */
  add(text: string): boolean | undefined {
    return this.#verdict(() => this.#parser.write(text))
  }

  /** Says whether it is an index by everything that has arrived. `isAll` is false if more of the page follows. */
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
    for (const link of this.#reader.takeLinks()) {
      const verdict = this.#evidence.add(link)
      if (verdict !== undefined) return verdict
    }
    return isTooDeep ? false : undefined
  }
}

class TooDeep extends Error {}
