import type { AccessPlans } from '@retriever/core'
import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import { whenHeld } from '../../kit/limits.ts'
import { overHeld } from '../../kit/size-limit.ts'
import { accessEntries, entryOf } from './entries.ts'
import { readAnswer } from './session.ts'
import { accessMethods } from './urls.ts'

/** The entries of kept lines. Those of union links on other servers are not among the lines. */
export async function* keptEntries(
  body: AsyncIterable<Uint8Array>,
  { host, port, hsoname }: AccessPlans['prospero'],
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const { links, attributes } = readAnswer(await textOf(body, context), context)
  const server = { host, port }
  if (links.length === 0) {
    const object = { hostType: 'INTERNET-D', host, hsoname, version: '0' }
    yield* accessEntries(accessMethods(attributes, object, server))
  }
  // Types I and U are not shown.
  for (const link of links) if (link.type !== 'I' && link.type !== 'U') yield entryOf(link, server)
}

async function textOf(body: AsyncIterable<Uint8Array>, context: RetrievalContext): Promise<string> {
  const { maxListing } = whenHeld(context.limits)
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxListing) throw overHeld(context, 'listing', 'maxListing')
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks).toString('latin1')
}
