import type { Retrieval } from '../retrieval.ts'
import type { Destination } from '../saving/destination.ts'
import type { Session } from '../session.ts'
import { loginAdvice } from './login-advice.ts'
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
  const advice = loginAdvice(retrieval.resolution, session.user)
  tell(`Connected to ${session.host}, port ${session.port}. ^] opens the menu: quit, status, send.`)
  if (advice !== null) tell(advice)
  await new TerminalSession(session, run, asIs).run()
  tell('The session has ended.')
}
