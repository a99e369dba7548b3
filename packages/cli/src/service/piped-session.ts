import type { Session } from '@retriever/fetchers'
import type { Run } from '../run.ts'
import { ScreenFilter } from './screen-filter.ts'

/**
 * A session without a person at a terminal. Standard input goes to the service, and its text to standard output, until
 * the service ends the connection. Lines end with LF, as in files of this system. With `asIs`, or if the caller wants
 * octets without conversion (RFC 856), they stay as they are.
 */
export async function pipedSession(session: Session, run: Run, asIs: boolean): Promise<void> {
  const { output, config } = run
  const filter = output.stdoutIsTerminal && !asIs ? new ScreenFilter(config.request.charset ?? null) : null
  const lines = config.telnet.binary === true ? null : new LineEnds()
  const show = (octets: Buffer): Uint8Array | string =>
    asIs ? octets : (filter?.show(octets) ?? lines?.show(octets) ?? octets)
  // If reading the input fails, the input has ended.
  const { stdin } = output.streams
  stdin.on('error', () => session.end())
  stdin.pipe(session)
  try {
    for await (const octets of session) await output.write(show(octets))
    if (!asIs) await output.write(filter?.reset() ?? lines?.end() ?? '')
  } finally {
    stdin.unpipe(session)
    // An input that has not ended would otherwise keep the process alive.
    stdin.destroy()
  }
}

const LF = 10
const CR = 13

/** Turns CR LF into LF, even if a chunk ends between the two. */
class LineEnds {
  #holdsCr = false

  show(octets: Uint8Array): Uint8Array {
    const shown = new Uint8Array(octets.length + 1)
    let length = 0
    for (const octet of octets) {
      if (this.#holdsCr && octet !== LF) shown[length++] = CR
      this.#holdsCr = octet === CR
      if (octet !== CR) shown[length++] = octet
    }
    return shown.subarray(0, length)
  }

  end(): Uint8Array {
    return Uint8Array.from(this.#holdsCr ? [CR] : [])
  }
}
