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
  let entries: Entry[] = []
  const addEntry = (link: PageLink): void => {
    const entry = directory.entry(link.href, factsOf(link), isMarkedDirectory(link))
    if (entry !== null) entries.push(entry)
  }
  const tooDeep = (): Error => {
    const message = `The index page nests more than ${maxDepth} elements; retrieve the page itself instead.`
    return context.error('limit-exceeded', message, { phase: 'body' })
  }
  const parser = htmlParser(new LinkReader(addEntry, tooDeep))
  for await (const text of indexText(body, context)) {
    parser.write(text)
    yield* entries
    entries = []
  }
  parser.end()
  yield* entries
  // An entry without a URL tells a walk that it does not know everything in the directory.
  if (directory.hasMorePages) yield { name: 'The list goes on, on other pages.', kind: 'info', url: null }
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

/** Decides by the beginning of a page whether it is an index, in the same way however the page is cut into chunks. */
export class IndexPage {
  readonly #evidence: IndexEvidence
  readonly #reader: LinkReader
  readonly #parser: ReturnType<typeof htmlParser>
  /** The verdict of the first link that decides; undefined as long as none does. */
  #verdict: boolean | undefined

  constructor(directory: IndexedDirectory) {
    this.#reader = new LinkReader(
      (link) => {
        this.#verdict ??= this.#evidence.add(link)
      },
      () => new TooDeep(),
    )
    this.#evidence = new IndexEvidence(directory, this.#reader)
    this.#parser = htmlParser(this.#reader)
  }

  /** Says whether it is an index. Undefined if more of the page is needed. */
  add(text: string): boolean | undefined {
    return this.#judge(() => this.#parser.write(text))
  }

  /** Says whether it is an index by everything that has arrived. `isAll` is false if more of the page follows. */
  end(isAll: boolean): boolean {
    return this.#judge(() => this.#parser.end()) ?? this.#evidence.isIndex(isAll)
  }

  #judge(parse: () => void): boolean | undefined {
    try {
      parse()
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      this.#verdict ??= false
    }
    return this.#verdict
  }
}

class TooDeep extends Error {}
