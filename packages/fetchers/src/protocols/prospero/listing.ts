import { type Advice, RetrievalError } from '@retriever/core'
import type { Entry } from '../../contract/fetcher.ts'
import { entryOf } from './entries.ts'
import type { Link } from './replies.ts'
import { type Answered, type Session, shown } from './session.ts'
import { objectUrl } from './urls.ts'

/** How many directories union links may add to one listing, and how deep they may be nested. */
const maxUnions = 32
const maxDepth = 8
/** How many other servers may stay silent. Each takes the whole of limits.idleTimeout. */
const maxSilent = 3
const maxEntries = 500_000
/** How many filters are reported. */
const maxFilters = 10

/** The entries of a directory, with those of its union links. */
export interface Listing {
  readonly entries: readonly Entry[]
  /** The server's own lines, one octet a character. */
  readonly text: string
}

/** Lists a directory from the answer to LIST. Expands union links on this server and on others. */
export async function listingOf(session: Session, answer: Answered, url: string): Promise<Listing> {
  const union = new Union(session, url)
  await union.add(answer, 0)
  return { entries: union.entries, text: union.texts.join('') }
}

class Union {
  readonly entries: Entry[] = []
  readonly texts: string[] = []
  readonly #session: Session
  /** The URLs of the directories that are part of the listing. */
  readonly #seen: Set<string>
  /** The names and URLs of the entries, since union links of several servers may lead to one directory. */
  readonly #known = new Set<string>()
  #size = 0
  #filters = 0
  /** How many other servers have not answered. */
  #silent = 0

  constructor(session: Session, url: string) {
    this.#session = session
    this.#seen = new Set([url])
  }

  async add({ links, text }: Answered, depth: number): Promise<void> {
    const { limits, error } = this.#session.context
    this.texts.push(text)
    this.#size += text.length
    if (this.#size > Math.min(limits.maxCollected, limits.maxListing)) {
      throw error('limit-exceeded', `The listing and its union links have over ${this.#size} octets.`)
    }
    for (const link of links) {
      // A link of type I is not shown (Prospero protocol 5, appendix A).
      if (link.type === 'I') continue
      this.#tellFilters(link)
      if (link.type === 'U') await this.#expand(link, depth + 1)
      else this.#push(entryOf(link, this.#session.server))
    }
  }

  #push(entry: Entry): void {
    const key = `${entry.name}\0${entry.url}`
    if (entry.url !== null && this.#known.has(key)) return
    this.#known.add(key)
    if (this.entries.length >= maxEntries) {
      throw this.#session.context.error('limit-exceeded', `The listing has more than ${maxEntries} entries.`)
    }
    this.entries.push(entry)
  }

  async #expand(link: Link, depth: number): Promise<void> {
    const { context, server } = this.#session
    const url = objectUrl(link, server)
    if (url === null) return this.#tell(link, 'its place has no URL')
    if (this.#seen.has(url)) return
    if (depth > maxDepth) return this.#tell(link, `it lies ${depth} union links deep`)
    if (this.#seen.size > maxUnions) return this.#tell(link, `the listing has ${maxUnions} others already`)
    this.#seen.add(url)
    try {
      const { host, port } = server
      if (isOn(url, { host, port })) return await this.#expandHere(link, depth)
      if (this.#silent === maxSilent) return this.#tell(link, `${maxSilent} other servers have not answered`)
      const other = await context.retrieve(url)
      for await (const entry of other.entries()) this.#push(entry)
    } catch (error) {
      if (context.deadline.reason !== null || !RetrievalError.is(error)) throw error
      if (error.code === 'limit-exceeded') throw error
      if (error.code === 'timeout') this.#silent++
      this.#tell(link, error.message.replace(/\.$/, ''), error.advice)
    }
  }

  async #expandHere(link: Link, depth: number): Promise<void> {
    const answer = await this.#session.list(link)
    if (answer.failure !== null) return this.#tell(link, `the server says ${shown(answer.failure.words)}`)
    if (answer.forwarded !== null) return this.#tell(link, 'it has moved to another server')
    await this.add(answer, depth)
  }

  /** Reports a link's filters. They are for the client (Prospero protocol 5, 3.3.3.3), but we apply none. */
  #tellFilters({ name, attributes }: Link): void {
    const { emit, url } = this.#session.context
    for (const { name: field, value } of attributes) {
      if (field !== 'FILTER' || !value.includes('CLIENT') || this.#filters++ >= maxFilters) continue
      const filter = shown([value[value.indexOf('PREDEFINED') + 1] ?? ''])
      const message = `The link ${shown([name])} has a filter (${filter}), which is not applied.`
      emit({ type: 'remark', url, message })
    }
  }

  #tell({ name }: Link, why: string, advice?: Advice): void {
    const { emit, url } = this.#session.context
    const message = `The union link ${shown([name])} was left out: ${why}.`
    emit({ type: 'remark', url, message, ...(advice !== undefined && { advice }) })
  }
}

/** Whether a Prospero URL leads to this server. */
function isOn(url: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const { hostname, port: given } = new URL(url)
  return hostname.replace(/^\[|\]$/g, '') === host.toLowerCase() && Number(given || 1525) === port
}
