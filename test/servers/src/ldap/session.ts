import { type Accounts, isAccount } from '../accounts.ts'
import type { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'
import { recorded } from '../request.ts'
import { turns } from '../wire.ts'
import { type Element, element, elementsIn, firstElement, integerOf, octetString } from './ber.ts'
import { type DirectoryEntry, isInScope, normalDn, suffix } from './directory.ts'
import { matches } from './filter.ts'
import { entryMessage, message, operations, pageControl, pagedResultsName, result, startTlsName } from './messages.ts'
import { misbehaviour } from './misbehaviours.ts'

export interface LdapSettings {
  readonly entries: readonly DirectoryEntry[]
  readonly accounts: Accounts
  readonly authRequired: boolean
  readonly explicitTls: boolean
  /** The most entries of one search; 0 means no limit. */
  readonly sizeLimit: number
  /** The most entries of a page that a client may ask for; 0 means that there are no pages. */
  readonly pageLimit: number
  readonly external: boolean
}

/** The scopes of SearchRequest (RFC 4511 4.5.1.2). */
const scopes = ['base', 'one', 'sub']

/** The tag of a SASL login in a bind (RFC 4511 4.2). This server only knows EXTERNAL. */
const saslCredentials = 0xa3

/** The most octets to send before the client has taken them. */
const pieceSize = 16 * 1024

/** A longer request ends the connection. */
const longestRequest = 1024 * 1024

/** The session of one connection. It answers requests one after the other. */
export class LdapSession {
  readonly #connection: Connection
  readonly #server: Listener
  readonly #settings: LdapSettings
  #held: Buffer = Buffer.alloc(0)
  #isLoggedIn = false

  constructor(connection: Connection, server: Listener, settings: LdapSettings) {
    this.#connection = connection
    this.#server = server
    this.#settings = settings
  }

  async run(): Promise<void> {
    const connection = this.#connection
    if (connection.faults.stall === 'greeting') return connection.stall()
    if (await connection.sendFault('greeting')) return
    // After StartTLS, octets are read from the new stream.
    while (await this.#readStream()) {}
  }

  /** Reads until the connection ends (false) or continues within TLS (true). */
  async #readStream(): Promise<boolean> {
    for await (const chunk of this.#connection.stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      this.#held = Buffer.concat([this.#held, chunk])
      for (let next = firstElement(this.#held); next !== undefined; next = firstElement(this.#held)) {
        this.#held = next.rest
        const outcome = await this.#answer(elementsIn(next.contents))
        if (outcome !== 'go on') return outcome === 'secured'
      }
      if (this.#held.length > longestRequest) return false
    }
    return false
  }

  async #answer([idElement, operation, controls]: readonly Element[]): Promise<'go on' | 'over' | 'secured'> {
    if (idElement === undefined || operation === undefined) return 'over'
    const id = integerOf(idElement)
    switch (operation.tag) {
      case operations.bind:
        return this.#bind(id, elementsIn(operation.contents))
      case operations.search:
        return this.#search(id, elementsIn(operation.contents), pageIn(controls))
      case operations.extended:
        return this.#extended(id, elementsIn(operation.contents))
      case operations.unbind:
        this.#record('unbind', '')
        return 'over'
      default:
        return 'over'
    }
  }

  async #bind(id: number, [, name, password]: readonly Element[]): Promise<'go on' | 'over'> {
    const isSasl = password?.tag === saslCredentials
    const dn = isSasl ? 'EXTERNAL' : (name?.contents.toString('utf8') ?? '')
    this.#record('bind', dn)
    if (this.#connection.faults.stall === 'login') return 'go on'
    if (await this.#connection.sendFault('bind')) return 'go on'
    if (isSasl) {
      this.#isLoggedIn = this.#settings.external
      await this.#send(message(id, result(operations.bindAnswer, this.#isLoggedIn ? 0 : 7)))
      return 'go on'
    }
    const user = /^(?:uid|cn)=([^,]*)(?:,|$)/.exec(dn)?.[1] ?? dn
    const given = password?.contents.toString('latin1') ?? ''
    // A name without a password is an unauthenticated bind (RFC 4513 5.1.2), and servers accept it.
    const isAnonymous = dn === '' || given === ''
    this.#isLoggedIn = !isAnonymous && isAccount(this.#settings.accounts, user, given)
    const code = isAnonymous || this.#isLoggedIn ? 0 : 49
    await this.#send(message(id, result(operations.bindAnswer, code, code === 0 ? '' : 'invalid credentials')))
    return 'go on'
  }

  async #extended(id: number, [name]: readonly Element[]): Promise<'go on' | 'secured'> {
    const { explicitTls } = this.#settings
    const connection = this.#connection
    const isStartTls = name?.contents.toString('latin1') === startTlsName
    this.#record('extended', isStartTls ? 'StartTLS' : '')
    if (await connection.sendFault('extended')) return 'go on'
    const code = isStartTls && explicitTls && !connection.tls ? 0 : 2
    await this.#send(message(id, result(operations.extendedAnswer, code, code === 0 ? '' : 'unsupported operation')))
    if (code !== 0) return 'go on'
    connection.secure()
    return 'secured'
  }

  async #search(id: number, fields: readonly Element[], page: Page | null): Promise<'go on' | 'over'> {
    const [baseObject, scopeElement, , limitElement, , typesOnly, filter, attributes] = fields
    const base = baseObject?.contents.toString('utf8') ?? ''
    const scope = scopeElement === undefined ? 0 : integerOf(scopeElement)
    this.#record('search', `${scopes[scope]} ${base}`)
    const connection = this.#connection
    if (connection.faults.stall === 'response') return 'go on'
    if (await connection.sendFault(`search ${base}`, 'search')) return 'go on'
    await connection.delay()
    const hostile = misbehaviour(base)
    if (hostile !== undefined) return this.#pour(hostile(id))
    if (filter === undefined) return 'over'
    const requested =
      attributes === undefined ? [] : elementsIn(attributes.contents).map(({ contents }) => String(contents))
    const asked = limitElement === undefined ? 0 : integerOf(limitElement)
    const isTypesOnly = typesOnly?.contents[0] !== 0
    const pieces = this.#answers(id, { base: normalDn(base), scope, filter, asked, requested, isTypesOnly, page })
    const octets = Buffer.concat([...pieces])
    return (await connection.sendBody({ size: octets.length, chunks: [octets] })) ? 'go on' : 'over'
  }

  *#answers(id: number, search: Search): Iterable<Buffer> {
    const { base, scope, filter, asked, requested, isTypesOnly } = search
    const { entries, authRequired, sizeLimit, pageLimit } = this.#settings
    const page = pageLimit === 0 ? null : search.page
    const done = (code: number, words = '', urls: readonly string[] = [], cookie = ''): Buffer => {
      const controls = page === null || code !== 0 ? [] : [pageControl(cookie)]
      return message(id, result(operations.done, code, words, urls), ...controls)
    }
    if (page !== null && page.size > pageLimit) return yield done(11, 'illegal pagedResults page size')
    const there = entries.find(({ dn }) => normalDn(dn) === base)
    if (!this.#isLoggedIn && (authRequired || there?.isHidden)) return yield done(50, 'a login is needed')
    if (there === undefined) return yield done(32, `no such object below ${suffix}`)
    if (there.referral !== undefined) return yield done(10, '', [there.referral])
    const limit = Math.min(asked || Number.POSITIVE_INFINITY, sizeLimit || Number.POSITIVE_INFINITY)
    let count = 0
    for (const [place, entry] of entries.entries()) {
      if (place < (page?.start ?? 0)) continue
      if (!isInScope(normalDn(entry.dn), base, scope) || (entry.isHidden && !this.#isLoggedIn)) continue
      if (entry.referral !== undefined) {
        yield message(id, element(operations.reference, octetString(entry.referral)))
        continue
      }
      if (!matches(entry, filter)) continue
      if (page !== null && count === page.size) return yield done(0, '', [], String(place))
      if (++count > limit) return yield done(4, 'size limit exceeded')
      yield entryMessage(id, entry, requested, isTypesOnly)
    }
    yield done(0)
  }

  /** Sends pieces, perhaps without end, only as fast as the client takes them. */
  async #pour(pieces: Iterable<Buffer>): Promise<'go on' | 'over'> {
    const { stream } = this.#connection
    let buffered: Buffer[] = []
    let size = 0
    for (const piece of pieces) {
      buffered.push(piece)
      size += piece.length
      if (size < pieceSize) continue
      if (stream.destroyed) return 'over'
      await this.#send(Buffer.concat(buffered))
      // If the system takes a write at once, a client in this process gets no turn.
      await turns(1)
      buffered = []
      size = 0
    }
    await this.#send(Buffer.concat(buffered))
    return 'go on'
  }

  async #send(octets: Buffer): Promise<void> {
    await this.#connection.send(octets.toString('latin1'))
  }

  #record(method: string, target: string): void {
    this.#server.record(recorded(this.#connection, { line: `${method} ${target}`.trim(), method, target }))
  }
}

interface Search {
  readonly base: string
  readonly scope: number
  readonly filter: Element
  /** The most entries that the client wants; 0 for all. */
  readonly asked: number
  readonly requested: readonly string[]
  readonly isTypesOnly: boolean
  readonly page: Page | null
}

/** The page that the client asks for: its most entries, and the place of its first one in the whole directory. */
interface Page {
  readonly size: number
  readonly start: number
}

function pageIn(controls: Element | undefined): Page | null {
  for (const control of controls === undefined ? [] : elementsIn(controls.contents)) {
    const [type, ...rest] = elementsIn(control.contents)
    const value = rest.at(-1)
    if (type?.contents.toString('latin1') !== pagedResultsName || value === undefined) continue
    const [size, cookie] = elementsIn(elementsIn(value.contents)[0]?.contents ?? Buffer.alloc(0))
    if (size !== undefined && cookie !== undefined) {
      return { size: integerOf(size), start: Number(cookie.contents.toString('latin1')) }
    }
  }
  return null
}
