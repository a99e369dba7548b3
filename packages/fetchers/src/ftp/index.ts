import type { FtpPlan } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../fetcher.ts'
import { invalidOption } from '../limits.ts'
import { openSocket } from '../wire/socket.ts'
import { Control } from './control.ts'
import type { Dialogue } from './dialogue.ts'
import { enterDirectories } from './directories.ts'
import { retrieveListing } from './listing.ts'
import { greet, login } from './login.ts'
import { retrieveObject } from './object.ts'

export interface FtpFetcherOptions {
  /** Ask for a data connection by EPSV first, and by PASV only where that fails; false: by PASV at once. Default true. */
  readonly epsv?: boolean
}

/**
 * Retrieves by FTP (RFC 959), exactly as RFC 1738 3.2 maps a URL: login, one CWD a segment, TYPE, RETR or NLST. Every retrieval has
 * a control connection of its own: 3.2.2 knows no other way to get back to the entry directory.
 */
export function ftpFetcher(options: FtpFetcherOptions = {}): Fetcher<'ftp'> {
  for (const name of Object.keys(options)) {
    if (name !== 'epsv') throw invalidOption(`ftpFetcher.${name}`, 'the one option, epsv', name)
  }
  const { epsv = true } = options
  if (typeof epsv !== 'boolean') throw invalidOption('ftpFetcher.epsv', 'true or false', epsv)
  return { mechanism: 'ftp', retrieve: (plan, context) => retrieve(plan, context, epsv) }
}

async function retrieve(plan: FtpPlan, context: RetrievalContext, epsv: boolean): Promise<Retrieved> {
  const isListing = plan.name === '' || plan.typecode === 'd'
  checkRange(plan, context, isListing)
  const tls = plan.tls === 'implicit' ? 'implicit' : 'none'
  const socket = await openSocket(context, { host: plan.host, port: plan.port, tls })
  const control = new Control(context, socket)
  const dialogue: Dialogue = { plan, context, control, epsv }
  try {
    const welcome = await greet(dialogue)
    await login(dialogue)
    await enterDirectories(dialogue)
    return await (isListing ? retrieveListing(dialogue, welcome) : retrieveObject(dialogue, welcome))
  } catch (error) {
    control.end()
    throw error
  }
}

/** Offsets mean octets in TYPE I alone: in TYPE A servers count before or after conversion, or not at all. */
function checkRange(plan: FtpPlan, context: RetrievalContext, isListing: boolean): void {
  if (context.request.range === undefined || !(isListing || plan.typecode === 'a')) return
  const message = 'FTP has ranges of binary files only, not of text or listings; leave out the range.'
  throw context.error('range-refused', message)
}
