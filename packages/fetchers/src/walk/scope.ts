import { type AccessPlan, decodeOctets, formatLocator, type Resolution, RetrievalError } from '@retriever/core'
import type { Retriever } from './retriever.ts'
import type { WalkOptions } from './walk-options.ts'

/** Where a resource is: its server, and its path there, one octet a character. */
interface Place {
  readonly server: string
  readonly path: string
}

/** Decides which URLs belong to the tree below a start, and how each resource of the tree is requested. */
export class Scope {
  readonly #retriever: Retriever
  readonly #start: Resolution
  readonly #extent: NonNullable<WalkOptions['scope']>
  /** Where the first listing is, after redirects. */
  #base: Place

  constructor(retriever: Retriever, start: Resolution, extent: WalkOptions['scope'] = 'below') {
    this.#retriever = retriever
    this.#start = start
    this.#extent = extent
    this.#base = placeOf(start)
  }

  /** Notes the URL to which redirects have led from the start. */
  moveTo(url: string): void {
    this.#base = placeOf(this.#retriever.resolve(url))
  }

  /** Whether a URL belongs to the tree. */
  has(resolution: Resolution): boolean {
    if (this.#extent === 'any') return true
    const { server, path } = placeOf(resolution)
    if (server !== this.#base.server) return false
    if (this.#extent === 'server') return true
    const base = withoutSlash(this.#base.path)
    // Only a Gopher selector can have dot segments; the other mechanisms give no such entries.
    if (path.split('/').includes('..')) return false
    return base === '' || withoutSlash(path) === base || path.startsWith(`${base}/`)
  }

  /** Whether a URL is on the server that the caller named, or on that to which the start was redirected. */
  isAtStart(resolution: Resolution): boolean {
    const { server } = placeOf(resolution)
    return server === this.#base.server || server === placeOf(this.#start).server
  }

  /** Makes a text that is the same for all URLs of one folder. */
  key(resolution: Resolution): string {
    const { server, path } = placeOf(resolution)
    return `${server} ${withoutSlash(path)}`
  }

  /**
   * Resolves an entry's URL. Returns null if it has no meaning. Entries' URLs have no password, so one that leads to
   * the start's user and server gets the start's password.
   */
  resolve(url: string): Resolution | null {
    try {
      const resolution = this.#retriever.resolve(url)
      const { user, password } = this.#start.locator
      if (password === null || resolution.locator.user !== user || resolution.locator.password !== null)
        return resolution
      if (placeOf(resolution).server !== placeOf(this.#start).server) return resolution
      return this.#retriever.resolve(formatLocator({ ...resolution.locator, password }))
    } catch (error) {
      if (RetrievalError.is(error)) return null
      throw error
    }
  }
}

function placeOf({ plan, locator }: Resolution): Place {
  const host = 'host' in plan ? (plan.host ?? '') : ''
  const port = 'port' in plan ? plan.port : ''
  const tls = 'tls' in plan && plan.tls === 'implicit'
  return {
    server: `${plan.mechanism} ${host} ${port} ${tls}`,
    path: pathOf(plan) ?? decodeOctets(locator.urlPath ?? ''),
  }
}

function pathOf(plan: AccessPlan): string | null {
  switch (plan.mechanism) {
    case 'ftp':
      return [...plan.cwd, plan.name].join('/')
    case 'gopher':
      return plan.selector
    case 'nntp':
      if (plan.select === 'groups') return ''
      return `${plan.newsgroup ?? ''}/${plan.articleNumber ?? plan.messageId ?? ''}`
    case 'imap':
      // The parameter UIDVALIDITY stands between a mailbox and its messages, so it is left out.
      return `${plan.mailbox ?? ''}${plan.uid === null ? '' : `/;UID=${plan.uid}`}`
    case 'file':
      return plan.path
    case 'ldap':
      return ldapPath(plan.dn)
    default:
      return null
  }
}

/** Returns the parts of a DN from the root down, in one form for all the ways to write it (RFC 4514 2.4, RFC 4517). */
function ldapPath(dn: string): string {
  const parts = dn.match(/(?:\\.|[^\\,])+/gs) ?? []
  const plain = parts.map((part) => {
    const unescaped = part.trim().replace(/\\([0-9A-Fa-f]{2}|.)/gs, (_, octet: string) => {
      return octet.length === 2 ? String.fromCharCode(Number.parseInt(octet, 16)) : octet
    })
    return unescaped.toLowerCase().replaceAll('/', '%2f')
  })
  return plain.reverse().join('/')
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
