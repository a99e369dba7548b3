import { Listener, type ServerOptions, type TestServer } from '../listener.ts'
import { TelnetSession } from './session.ts'

export interface TelnetServerOptions extends ServerOptions {}

/** A Telnet server (RFC 854): a little negotiation, a banner, an echo of each line, `quit`. */
export async function startTelnetServer(options: TelnetServerOptions = {}): Promise<TestServer> {
  const listener = new Listener(
    { name: 'telnet', scheme: 'telnet', serve: (connection, server) => new TelnetSession(connection, server).run() },
    options,
  )
  return listener.listen(options.port ?? 0)
}
