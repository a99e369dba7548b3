import { isFailure } from './failure.ts'
import { Listener } from './listener.ts'
import { type Checks, checkOptions, wrong } from './options.ts'
import { type ServerConnection, serverConnection } from './server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer } from './test-server.ts'

/** Options for a server of your own protocol. */
export interface CustomServerOptions extends ServerOptions {
  /** The scheme of its URLs, such as `finger`, without the `s` that `tls: true` adds. */
  readonly scheme: string
  /**
   * Serves one connection, from its first octet to its last. The connection ends when this settles. An error ends this
   * connection only; unless it means that the client left, `failures` has it, and the process warns of it.
   */
  serve(connection: ServerConnection): Promise<void>
}

const checks: Checks<CustomServerOptions> = {
  ...serverChecks,
  scheme: (name, value) => {
    if (typeof value !== 'string' || !/^[a-z][a-z0-9+.-]*$/.test(value)) throw wrong(name, 'a scheme: finger', value)
  },
  serve: (name, value) => {
    if (typeof value !== 'function') throw wrong(name, 'a function', value)
  },
}

/**
 * Starts a server of your own protocol on loopback. It records, plays faults, counts, and can be disposed of like the
 * other servers. TLS, latency, chunking and the stalls 'tls' and 'greeting' work by themselves, the other faults
 * through the methods of ServerConnection.
 */
export async function startServer(options: CustomServerOptions): Promise<TestServer> {
  checkOptions('startServer', options, checks)
  const { scheme, serve, port = 0 } = options
  checks.scheme('scheme', scheme)
  checks.serve('serve', serve)
  const listener = new Listener(
    {
      name: scheme,
      scheme,
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        try {
          await options.serve(serverConnection(connection, server))
        } catch (error) {
          if (isFailure(error)) process.emitWarning(`A connection to the ${scheme} server failed: ${error.stack}`)
          throw error
        }
      },
    },
    options,
  )
  return listener.listen(port)
}
