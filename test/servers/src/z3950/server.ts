import { Listener } from '../listener.ts'
import { type Check, type Checks, checkOptions, count, flag } from '../options.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { Z3950Session } from './session.ts'

export interface Z3950ServerOptions extends Omit<ServerOptions, 'tls'> {
  /** Whether answers to Present come in segments of one record. Default false. */
  readonly segments?: boolean
  /** Whether the element set F is unknown, as on servers with one element set. Default false. */
  readonly oneElementSet?: boolean
  /** The use attribute of Bib-1 that finds a document id; 0 for none. Default: 1032 and 12. */
  readonly docidUse?: number
}

const { tls: _tls, ...checks } = serverChecks
export const z3950Checks: Checks<Z3950ServerOptions> = {
  ...checks,
  segments: flag,
  oneElementSet: flag,
  docidUse: count as Check,
}

/** A catalogue for Z39.50 (version 3). It misbehaves in the database `misbehaviour`. */
export async function startZ3950Server(options: Z3950ServerOptions = {}): Promise<TestServer> {
  checkOptions('startZ3950Server', options, z3950Checks)
  const listener = new Listener(
    {
      name: 'z3950',
      scheme: 'z39.50r',
      serve: (connection, server) => new Z3950Session(connection, server, options).run(),
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}
