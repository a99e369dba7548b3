import { Listener } from '../listener.ts'
import { type Checks, checkOptions } from '../options.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { TelnetSession } from './session.ts'

export interface TelnetServerOptions extends ServerOptions {}

export const telnetChecks: Checks<TelnetServerOptions> = serverChecks

/** A Telnet server (RFC 854): it negotiates a little, shows a banner, echoes each line, and knows `quit`. */
export async function startTelnetServer(options: TelnetServerOptions = {}): Promise<TestServer> {
  checkOptions('startTelnetServer', options, telnetChecks)
  const listener = new Listener(
    { name: 'telnet', scheme: 'telnet', serve: (connection, server) => new TelnetSession(connection, server).run() },
    options,
  )
  return listener.listen(options.port ?? 0)
}
