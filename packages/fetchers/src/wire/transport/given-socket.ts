/** Connections that the caller makes (ClientOptions.connect); loaded only if there are any. */
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Connect } from '../../contract/network.ts'
import { invalidOption } from '../../kit/limits.ts'
import { addressesOf } from './lookup.ts'
import { connectError } from './socket-error.ts'
import { type AbortScope, socketOpened, whenOver } from './socket-opened.ts'

/**
 * Lets the caller connect to a host and port that the policy allows. Null means that the client connects by itself.
 * Rejects as dial() does, and with `invalid-option` for a value that is no stream.
 */
export async function givenSocket(
  context: RetrievalContext,
  connect: Connect,
  peer: { readonly host: string; readonly port: number; readonly name?: string },
  lifetime: AbortScope,
): Promise<Socket | null> {
  const { host, port } = peer
  const opening = new AbortController()
  const forget = whenOver(lifetime, () => opening.abort(context.deadline.reason ?? undefined))
  let given: unknown
  try {
    const addresses = await judged(context, host, port)
    given = await connect({ host, port, addresses, signal: opening.signal })
    if (given === null || given === undefined) return null
    if (!isDuplex(given)) throw invalidOption('connect', 'a function that gives a stream (Duplex), or null', given)
    if (opening.signal.aborted) throw context.error('aborted', 'The retrieval ended before its connection was open.')
    if ((given as Partial<Socket>).connecting === true) await socketOpened(given, 'connect', { lifetime })
    if (given.destroyed) throw given.errored ?? new Error('it was closed before it was open')
    enforceAddress(context, given, host)
    return asSocket(given)
  } catch (cause) {
    // Without a listener, an error that the stream is about to emit would end the process.
    if (isDuplex(given)) given.on('error', () => {}).destroy()
    throw RetrievalError.is(cause) ? cause : connectError(context, peer, cause)
  } finally {
    forget()
  }
}

/** Looks up the allowed addresses, at least one, of the host. Null if no rule asks for them. */
async function judged(context: RetrievalContext, host: string, port: number): Promise<readonly string[] | null> {
  if (isIP(host) === 0 && !isJudged(context)) return null
  try {
    return (await addressesOf(context, host, port)).map(({ address }) => address)
  } catch (error) {
    // Only the other end of a tunnel may know the name; the redirect to it was judged by its text.
    if (Object(error).code === 'ENOTFOUND' && context.addresses?.isPublicOnly !== true) return null
    throw error
  }
}

function isJudged({ addresses }: RetrievalContext): boolean {
  return addresses?.isPublicOnly === true || addresses?.isPointedTo === true
}

/** Throws `refused` for a connection to an address that the rules do not allow. */
function enforceAddress(context: RetrievalContext, given: Duplex, host: string): void {
  const { addresses, error } = context
  const { remoteAddress, remotePort } = given as Partial<Socket>
  if (addresses === undefined || remoteAddress === undefined || !isJudged(context)) return
  if (addresses.allows(remoteAddress, remotePort)) return
  const message = `Refused: \`connect\` gave a connection to ${remoteAddress} for ${host}: ${addresses.rule}`
  throw error('refused', message, { phase: 'policy', advice: addresses.advice })
}

function isDuplex(value: unknown): value is Duplex {
  const { write, read, on, destroy } = Object(value) as Partial<Record<string, unknown>>
  return [write, read, on, destroy].every((member) => typeof member === 'function')
}

/** Adds the functions of sockets that the client calls to a stream that is no socket; most do nothing. */
function asSocket(stream: Duplex): Socket {
  const nothing = (): Duplex => stream
  const missing = ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'].filter((name) => !(name in stream))
  for (const name of missing) Object.defineProperty(stream, name, { value: nothing })
  if (!('destroySoon' in stream)) {
    const end = (): void => {
      stream.end(() => stream.destroy())
    }
    Object.defineProperty(stream, 'destroySoon', { value: end })
  }
  return stream as Socket
}
