import { Listener } from '../listener.ts'
import { type Checks, checkOptions, flag, word } from '../options.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { type ScreenName, screenNames } from './screens.ts'
import { Tn3270Session } from './session.ts'

export interface Tn3270ServerOptions extends ServerOptions {
  /** The screen to show, or a misbehaviour; the README lists both. Default `login`. */
  readonly screen?: ScreenName
  /** Whether the server speaks TN3270E (RFC 2355) instead of TN3270 as in RFC 1576. Default false. */
  readonly enhanced?: boolean
}

export const tn3270Checks: Checks<Tn3270ServerOptions> = {
  ...serverChecks,
  screen: word(...screenNames),
  enhanced: flag,
}

/** A TN3270 server. It negotiates, shows a screen with fields, and takes no input. */
export async function startTn3270Server(options: Tn3270ServerOptions = {}): Promise<TestServer> {
  checkOptions('startTn3270Server', options, tn3270Checks)
  const { screen = 'login', enhanced = false } = options
  const listener = new Listener(
    {
      name: 'tn3270',
      scheme: 'tn3270',
      serve: (connection, server) => new Tn3270Session(connection, server, screen, enhanced).run(),
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}
