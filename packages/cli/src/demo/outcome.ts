import { createHash } from 'node:crypto'
import { octetsToText, RetrievalError, shellCommand } from '@retriever/core'
import { type Client, type Handoff, Representation } from '@retriever/fetchers'
import { exitCodeOf } from '../exit-codes.ts'
import { sentence } from '../terminal/report.ts'
import { greetingOf } from './greeting.ts'

/** What came of a URL: lines for people, and the exit code of the command. */
export interface ShownOutcome {
  readonly lines: readonly string[]
  readonly exit: number
}

const shownLines = 5

/** Retrieves it, and says in a few lines what came. */
export async function outcomeOf(url: string, client: Client): Promise<ShownOutcome> {
  try {
    const opened = await client.open(url)
    if (!(opened instanceof Representation)) return { lines: await ofHandoff(opened), exit: exitCodeOf(handoff) }
    await using representation = opened
    return { lines: await ofRepresentation(representation), exit: 0 }
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return { lines: [sentence(error), `exit code ${exitCodeOf(error)}`], exit: exitCodeOf(error) }
  }
}

const handoff = new RetrievalError('handoff', 'a service', { phase: 'resolve' })

async function ofHandoff({ service, host, port, program, args }: Handoff): Promise<string[]> {
  const greeting = await greetingOf(host, port)
  const words = shellCommand([program, ...args])
  return [`a service (${service}), not data; to use it: ${words}`, `the server is there and says: ${greeting}`]
}

async function ofRepresentation(representation: Representation): Promise<string[]> {
  if (representation.kind === 'listing') return await ofListing(representation)
  const octets = await representation.bytes()
  if (octets.includes(0)) {
    const sha256 = createHash('sha256').update(octets).digest('hex').slice(0, 16)
    return [`${octets.length} octets, SHA-256 ${sha256}...`]
  }
  return firstOf(octetsToText(Buffer.from(octets).toString('latin1')).trimEnd().split(/\r?\n/), 'lines')
}

async function ofListing(listing: Representation): Promise<string[]> {
  const lines: string[] = []
  for await (const { kind, name } of listing.entries()) lines.push(`${kind.padEnd(9)}  ${name}`)
  return firstOf(lines, 'entries')
}

function firstOf(lines: readonly string[], what: string): string[] {
  if (lines.length <= shownLines) return [...lines]
  return [...lines.slice(0, shownLines), `... ${lines.length} ${what} in all`]
}
