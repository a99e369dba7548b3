import { type AccessPlans, encodeOctets, octetsToText } from '@retriever/core'
import { authority } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { words } from './words.ts'

type DictPlan = AccessPlans['dict']

/**
 * Yields the entries of a listing: matches (`wn "shortcake"`), databases (`wn "WordNet (r) 3.0"`) or strategies
 * (`prefix "Match prefixes"`).
 */
export async function* lineEntries(
  body: AsyncIterable<Uint8Array>,
  plan: DictPlan,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  for await (const line of linesOf(body, context)) {
    const [name = '', text = ''] = words(line)
    if (name !== '') yield entryOf(name, text, plan)
  }
}

function entryOf(name: string, text: string, plan: DictPlan): Entry {
  const description = octetsToText(text)
  switch (plan.operation) {
    case 'match':
      return {
        name: description,
        kind: 'file',
        url: isAtom(name) && text !== '' ? urlOf(plan, `d:${encodeOctets(text)}:${encodeOctets(name)}`) : null,
        details: { database: octetsToText(name) },
      }
    case 'databases':
      return {
        name: octetsToText(name),
        kind: 'file',
        url: isAtom(name) ? urlOf(plan, `show:info:${encodeOctets(name)}`) : null,
        details: { description },
      }
    default:
      return { name: octetsToText(name), kind: 'info', url: null, details: { description } }
  }
}

/** Whether a name that the server sent may stand in a command (RFC 2229 2.2). */
function isAtom(name: string): boolean {
  return /^[^\0-\x20"'\\\x7F]+$/.test(name)
}

/** Makes a URL of the same server, with the same user. */
function urlOf(plan: DictPlan, path: string): string {
  const user = plan.user === null ? '' : `${encodeOctets(plan.user)};AUTH@`
  return `dict://${user}${authority({ host: plan.host.replace('%', '%25'), port: plan.port }, 2628)}/${path}`
}

/** Yields the line with this number of a text, counted from 1. */
export async function* pickLine(
  text: AsyncIterable<Uint8Array>,
  number: number,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  let count = 0
  for await (const line of linesOf(text, context)) {
    if (++count === number) yield Buffer.from(`${line}\r\n`, 'latin1')
  }
}
