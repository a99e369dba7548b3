import type { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'
import { recorded } from '../request.ts'
import { turns } from '../wire.ts'
import { type Node, readInteger, readNode, readOid } from './ber.ts'
import {
  closeRequest,
  conditions,
  diagnostic,
  initResponse,
  named,
  presentResponse,
  searchResponse,
  segment,
  surrogate,
} from './messages.ts'
import { misbehaviour } from './misbehaviours.ts'
import { fits, QueryError } from './query.ts'
import { recordOf, syntaxes } from './records.ts'
import { type Book, catalogue } from './seed.ts'
import type { Z3950ServerOptions } from './server.ts'

/** A record of the result set. */
interface Hit {
  readonly database: string
  readonly book: Book
}

/** The most octets to send before the client has taken them. */
const pieceSize = 16 * 1024

const nothing = Buffer.alloc(0)

/** A longer request ends the connection. */
const longestRequest = 1024 * 1024

/** The session of one connection. It answers requests one after the other. */
export class Z3950Session {
  readonly #connection: Connection
  readonly #server: Listener
  readonly #options: Z3950ServerOptions
  #held: Buffer = Buffer.alloc(0)
  #hits: readonly Hit[] = []
  /** The misbehaviour that the client searched for. */
  #hostile: string | undefined

  constructor(connection: Connection, server: Listener, options: Z3950ServerOptions) {
    this.#connection = connection
    this.#server = server
    this.#options = options
  }

  async run(): Promise<void> {
    for await (const chunk of this.#connection.stream as AsyncIterable<Buffer>) {
      this.#held = Buffer.concat([this.#held, chunk])
      for (let next = readNode(this.#held); next !== undefined; next = readNode(this.#held)) {
        this.#held = this.#held.subarray(next.size)
        if (!(await this.#answer(next))) return
      }
      if (this.#held.length > longestRequest) return
    }
  }

  /** Answers a request. Resolves to false if the connection is over. */
  async #answer(request: Node): Promise<boolean> {
    const id = request.children.find(({ tag }) => tag === 0x82)
    // A referenceId is returned unchanged.
    const referenceId =
      id === undefined ? nothing : Buffer.concat([Buffer.from([0x82, id.contents.length]), id.contents])
    switch (request.tag) {
      case 0x94:
        return this.#init(referenceId)
      case 0x96:
        return this.#search(request, referenceId)
      case 0x98:
        return this.#present(request, referenceId)
      case 0x9f30:
        this.#record('close', '')
        await this.#send(closeRequest(8, ''))
        return false
      default:
        await this.#send(closeRequest(6, 'not known here'))
        return false
    }
  }

  async #init(referenceId: Buffer): Promise<boolean> {
    this.#record('init', '')
    const { faults } = this.#connection
    if (faults.stall === 'greeting') {
      await this.#connection.stall()
      return false
    }
    if (await this.#connection.sendFault('greeting', 'init')) return true
    await this.#send(initResponse(true, referenceId))
    return true
  }

  async #search(request: Node, referenceId: Buffer): Promise<boolean> {
    const find = (tag: number): Node | undefined => request.children.find((child) => child.tag === tag)
    const databases = (find(0x92)?.children ?? []).map(({ contents }) => contents.toString())
    const [, query] = find(0x95)?.children[0]?.children ?? []
    const target = `${databases.join('+')} ${query === undefined ? '' : termsIn(query).join(' ')}`
    this.#record('search', target)
    const { faults } = this.#connection
    if (faults.stall === 'response') {
      await this.#connection.stall()
      return false
    }
    if (await this.#connection.sendFault(`search ${target}`, 'search')) return true
    if (databases[0] === 'misbehaviour' && query !== undefined) {
      this.#hostile = termsIn(query)[0] ?? ''
      const pieces = misbehaviour('search', this.#hostile)
      return pieces === undefined ? this.#sent(searchResponse(1, referenceId)) : this.#pour(pieces)
    }
    this.#hostile = undefined
    const missing = databases.find((name) => !Object.hasOwn(catalogue, name))
    if (missing !== undefined) return this.#refuse(conditions.database, missing, referenceId)
    if (query === undefined) return this.#refuse(conditions.query, '', referenceId)
    const { docidUse } = this.#options
    const docidUses = docidUse === undefined ? [1032, 12] : [docidUse]
    try {
      this.#hits = databases.flatMap((database) =>
        (catalogue[database] ?? []).filter((book) => fits(book, query, docidUses)).map((book) => ({ database, book })),
      )
    } catch (error) {
      if (error instanceof QueryError) return this.#refuse(error.condition, error.message, referenceId)
      throw error
    }
    return this.#sent(searchResponse(this.#hits.length, referenceId))
  }

  async #present(request: Node, referenceId: Buffer): Promise<boolean> {
    const find = (tag: number): Node | undefined => request.children.find((child) => child.tag === tag)
    const start = readInteger(find(0x9e))
    const count = readInteger(find(0x9d))
    const elementSet = find(0x93)?.children[0]?.contents.toString() ?? ''
    const syntaxNode = find(0x9f68)
    const syntax = syntaxNode === undefined ? syntaxes.usmarc : readOid(syntaxNode)
    const name = Object.entries(syntaxes).find(([, known]) => known === syntax)?.[0] ?? syntax
    const target = [`${start}+${count}`, elementSet, name].filter(Boolean).join(' ')
    this.#record('present', target)
    const connection = this.#connection
    if (await connection.sendFault(`present ${target}`, 'present')) return true
    const pieces = this.#hostile === undefined ? undefined : misbehaviour('present', this.#hostile)
    if (pieces !== undefined) return this.#pour(pieces)
    const octets = Buffer.concat(this.#records({ start, count, elementSet, syntax }, referenceId))
    await connection.delay()
    return connection.sendBody({ size: octets.length, chunks: [octets] })
  }

  #records({ start, count, elementSet, syntax }: Range, referenceId: Buffer): Buffer[] {
    const { segments = false, oneElementSet = false } = this.#options
    const fail = (condition: number, words: string): Buffer[] => [
      presentResponse([], referenceId, diagnostic(0xbf8102, condition, words)),
    ]
    const hits = this.#hits.slice(start - 1, start - 1 + count)
    if (start < 1 || hits.length < count) return fail(conditions.presentRange, '')
    const known = oneElementSet ? [''] : ['', 'F', 'B', 'f', 'b']
    if (!known.includes(elementSet)) return fail(conditions.elementSet, elementSet)
    // The server knows UNIMARC, but has no record in it.
    const records = hits.map(({ database, book }) => {
      const record = recordOf(book, syntax, elementSet.toUpperCase() === 'B')
      if (record !== undefined) return named(database, record)
      return syntax === syntaxes.unimarc ? surrogate(database, 238, 'not in UNIMARC') : undefined
    })
    const there = records.filter((record) => record !== undefined)
    if (there.length < records.length) return fail(conditions.syntax, syntax)
    if (!segments) return [presentResponse(there, referenceId)]
    return [...there.slice(0, -1).map((record) => segment([record])), presentResponse(there.slice(-1), referenceId)]
  }

  #refuse(condition: number, words: string, referenceId: Buffer): Promise<boolean> {
    this.#hits = []
    return this.#sent(searchResponse(0, referenceId, diagnostic(0xbf8102, condition, words)))
  }

  async #sent(octets: Buffer): Promise<boolean> {
    await this.#send(octets)
    return true
  }

  /** Sends pieces, perhaps without end, only as fast as the client takes them. */
  async #pour(pieces: Iterable<Buffer>): Promise<boolean> {
    const { stream } = this.#connection
    let buffered: Buffer[] = []
    let size = 0
    for (const piece of pieces) {
      buffered.push(piece)
      size += piece.length
      if (size < pieceSize) continue
      if (stream.destroyed) return false
      await this.#send(Buffer.concat(buffered))
      // If the system takes a write at once, a client in this process gets no turn.
      await turns(1)
      buffered = []
      size = 0
    }
    await this.#send(Buffer.concat(buffered))
    return true
  }

  async #send(octets: Buffer): Promise<void> {
    await this.#connection.send(octets.toString('latin1'))
  }

  #record(method: string, target: string): void {
    this.#server.record(recorded(this.#connection, { line: `${method} ${target}`.trim(), method, target }))
  }
}

interface Range {
  readonly start: number
  readonly count: number
  readonly elementSet: string
  readonly syntax: string
}

/** The terms of a query, from left to right. */
function termsIn(node: Node): string[] {
  return node.tag === 0x9f2d ? [node.contents.toString()] : node.children.flatMap(termsIn)
}
