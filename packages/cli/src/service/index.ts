import { octetsToText, printable, type Resolution, shellWord } from '@retriever/core'
import type { Session as ServiceSession } from '@retriever/fetchers'
import type { Retrieval } from '../retrieval.ts'
import type { Destination } from '../saving/destination.ts'
import type { Session } from '../session.ts'
import { pipedSession } from './piped-session.ts'
import { TerminalSession } from './terminal-session.ts'

/** Opens the service of a URL, and resolves when the session has ended. */
export async function useService(
  retrieval: Retrieval,
  { run, client }: Session,
  destination: Destination,
): Promise<void> {
  const { config, output, signal } = run
  const { linkedFrom } = config.request
  const isPerson = output.streams.stdin.isTTY === true && output.stdoutIsTerminal
  const { columns = 0, rows = 0 } = output.streams.stdout
  const { onEvent } = retrieval.request({})
  const session = await client.connect(retrieval.resolution, {
    ...config.telnet,
    signal,
    ...(linkedFrom !== undefined && { linkedFrom }),
    ...(onEvent !== undefined && { onEvent }),
    ...(isPerson && { echo: true, ...(columns > 0 && rows > 0 && { columns, rows }) }),
  })
  const asIs = destination.to === 'stdout' && destination.asIs
  if (!isPerson) return pipedSession(session, run, asIs)
  const tell = (message: string): void => {
    if (!config.silent) output.note(`* ${message}`)
  }
  tell(`Connected to ${session.host}, port ${session.port}. ^] opens the menu: quit, status, send.`)
  const advice = loginAdvice(session, retrieval.resolution)
  if (advice !== null) tell(advice)
  await new TerminalSession(session, run, asIs).run()
  tell('The session has ended.')
}

/** User and password of the URL are advice, which is shown and not sent (RFC 1738 3.8, RFC 4248 2). */
function loginAdvice({ user }: ServiceSession, { plan }: Resolution): string | null {
  const password =
    'password' in plan && plan.password !== null ? shellWord(printable(octetsToText(plan.password))) : null
  if (user === null || user === '') return password === null ? null : `The URL suggests the password ${password}.`
  const who = `The URL suggests logging in as ${shellWord(printable(user))}`
  return password === null ? `${who}.` : `${who} with the password ${password}.`
}
