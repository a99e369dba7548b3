import { type GopherPlan, gopherRequest } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { LineReader } from '../../../wire/framing/lines.ts'
import { openConnection } from '../../../wire/transport/socket.ts'
import { type Blocks, itemsOf } from './blocks.ts'
import { gopherPlusBody, readStatus, throwGopherPlusError } from './gopher-plus.ts'

/**
 * Asks for all attributes of an item, on another connection. The request is a bare `!`: clients may name attributes
 * (`!+VIEWS+ASK`), but pygopherd then sends the document. Returns null if the server has no Gopher+ and sends the item
 * (gophernicus), which is not read further.
 */
export async function askBlocks(plan: GopherPlan, context: RetrievalContext): Promise<Blocks | null> {
  const { gophertype, selector, search } = plan
  const connection = await openConnection(context, plan)
  try {
    await connection.sendLine(gopherRequest(gophertype, selector, search, '!').replace(/\r\n$/, ''))
    const source = new LineReader(connection, context)
    const status = await readStatus(source, context)
    if (status === undefined) return null
    if (!status.success) return await throwGopherPlusError(status, plan, source, context)
    const { limits } = context
    // The attributes of one item have the limit of a reply, not of a listing.
    const short = { ...context, limits: { ...limits, maxListing: limits.maxReply } }
    for await (const item of itemsOf(gopherPlusBody(status, source, context), short)) {
      if (typeof item !== 'string') return item
    }
    return new Map()
  } finally {
    connection.close()
  }
}
