import { Listener, type ServerOptions, type TestServer } from '../listener.ts'
import { NntpSession } from './session.ts'

export interface NntpServerOptions extends ServerOptions {
  /** 'required': 480 until AUTHINFO with alice and secret. Default 'none'. */
  readonly auth?: 'none' | 'required'
}

/** A news server for readers: RFC 3977, XOVER, and AUTHINFO USER (RFC 4643). No posting. */
export async function startNntpServer(options: NntpServerOptions = {}): Promise<TestServer> {
  const authRequired = options.auth === 'required'
  const listener = new Listener(
    {
      name: 'nntp',
      scheme: 'nntp',
      serve: (connection, server) => new NntpSession(connection, server, authRequired).run(),
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}
