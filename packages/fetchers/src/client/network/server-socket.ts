import type { Socket } from 'node:net'
import { RetrievalError } from '@retriever/core'
import { openSocket } from '../../wire/transport/socket.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { partsOf } from '../parts.ts'
import { contextOf } from '../steps/context.ts'
import { composed, type Hop, hopOf, type Next } from '../steps/hop.ts'
import { policy } from '../steps/policy.ts'
import { route } from '../steps/route.ts'

/**
 * Opens a connection to the server of a URL under the rules of a client: policy, addresses, limits of connecting, TLS,
 * proxy. `isBare`: TLS is left to the caller. Nothing is sent, and nothing is tried again. The client closes it with
 * its retrievals. Rejects with a RetrievalError.
 */
export async function openServerSocket(
  client: object,
  url: string,
  { isBare = false, ...options }: Pick<RetrieveOptions, 'signal' | 'policy'> & { readonly isBare?: boolean },
): Promise<Socket> {
  const { retriever } = partsOf(client)
  const resolution = retriever.resolve(url, undefined)
  const retrieval = retriever.begin(resolution, options, undefined)
  const open: Next<Socket> = async ({ context, proxy }: Hop) => {
    const { plan } = resolution
    if (!('port' in plan) || plan.host === null) throw context.error('malformed-url', 'The URL names no server.')
    const { host, port } = plan
    const tls = isBare || !('tls' in plan) ? 'none' : plan.tls
    const socket = await openSocket({ ...context, proxy }, { host, port, tls, alpn: ['http/1.1'] })
    socket.once('close', () => retrieval.done(null, socket.bytesRead, context))
    return socket
  }
  try {
    return await composed([policy, route], open)(hopOf(retrieval, resolution))
  } catch (error) {
    const context = contextOf(retrieval, resolution)
    const failure = RetrievalError.is(error) ? error : context.error('receive-failed', String(error), { cause: error })
    retrieval.done(failure, 0, context)
    throw failure
  }
}
