import { RetrievalError } from '@retriever/core'
import type { BatchItem, Client, Representation, RetrieveOptions } from '@retriever/fetchers'
import { Facts, type KnownServers } from '../write-out/facts.ts'
import type { Link } from './sources.ts'

/** A link and what the check found out about it. */
export interface Probed {
  readonly link: Link
  readonly facts: Facts
  /** Null if the link is alive. */
  readonly error: unknown
}

/** Asks for the head of each link, or for its first octet if the server refuses to give the head alone. */
export async function* probe(
  links: readonly Link[],
  client: Client,
  request: RetrieveOptions,
  optionsFor: (link: Link) => RetrieveOptions,
): AsyncGenerator<Probed> {
  const servers: KnownServers = new Map()
  const refused: Link[] = []
  for await (const probed of ask(links, { head: true })) {
    if (mayBeAlive(probed.error)) refused.push(probed.link)
    else yield probed
  }
  for await (const probed of ask(refused, { range: [0, 0] })) {
    // An empty resource has no first octet, so the refused range shows that it is there.
    const isEmpty = RetrievalError.is(probed.error) && probed.error.code === 'range-refused'
    yield isEmpty ? { ...probed, error: null } : probed
  }

  async function* ask(wanted: readonly Link[], extent: RetrieveOptions): AsyncGenerator<Probed> {
    const items = wanted.map((link): BatchItem<Omit<Probed, 'error'>> => {
      const facts = new Facts(servers)
      const own = optionsFor(link)
      const onEvent: RetrieveOptions['onEvent'] = (event) => {
        facts.event(event)
        own.onEvent?.(event)
      }
      return { url: link.url, key: { link, facts }, options: { ...own, ...extent, onEvent } }
    })
    const use = async (
      representation: Representation,
      { key }: { readonly key: Omit<Probed, 'error'> | undefined },
    ) => {
      await representation.cancel()
      // Retriever only makes a draft, which does not show whether the mailbox exists.
      if (representation.mechanism === 'mailto') throw unasked(representation.url)
      if (key !== undefined) key.facts.representation = representation
    }
    for await (const { key, error } of client.mapAll(items, use, request)) {
      if (key !== undefined) yield { ...key, error: asksForInput(error) ? null : error }
    }
  }
}

function unasked(url: string): RetrievalError {
  return new RetrievalError('handoff', 'It names a mailbox; mailboxes are not checked.', { phase: 'resolve', url })
}

/** Whether the server answered with the questions of a form, which shows that the link is alive. */
function asksForInput(error: unknown): boolean {
  return RetrievalError.is(error) && error.code === 'form-required'
}

/** Statuses that stay the same if the whole resource is asked for. */
const final: ReadonlySet<number> = new Set([401, 407, 410, 429])

/** Whether a server that refuses HEAD may still give the resource: many servers handle HEAD wrongly. */
function mayBeAlive(error: unknown): boolean {
  if (!RetrievalError.is(error)) return false
  if (error.code === 'receive-failed' || error.code === 'protocol-violation') return true
  return error.status !== undefined && error.status >= 400 && !final.has(error.status)
}
