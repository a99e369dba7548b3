import { FileListener } from '../files/file-listener.ts'
import { type FileOptions, fileChecks, ServedFiles } from '../files/served-files.ts'
import { type Check, type Checks, checkOptions, count, flag, text, word } from '../options.ts'
import { type FileServer, type ServerOptions, serverChecks } from '../test-server.ts'
import { Nodes } from './nodes.ts'
import { NfsSession } from './session.ts'

export interface NfsServerOptions extends Omit<ServerOptions, 'tls'>, FileOptions {
  /** The versions of NFS that the server speaks: 2, 3, 4. Default [2, 3, 4]. */
  readonly versions?: readonly number[]
  /** Whether there is a public filehandle (RFC 2054), which most servers lack. Default true. */
  readonly publicHandle?: boolean
  /** Whether there is a MOUNT service. It has the same port, and so has the portmapper. Default true. */
  readonly mount?: boolean
  /** The directory that MOUNT exports. Default `/`. */
  readonly exported?: string
  /** Whether version 3 has READDIRPLUS. Default true. */
  readonly readdirplus?: boolean
  /** 'sys': calls without AUTH_SYS are refused with AUTH_TOOWEAK. Default 'none'. */
  readonly auth?: 'none' | 'sys'
  /** How many names one answer of READDIR has. Default 100. */
  readonly pageSize?: number
}

type OwnOptions = Omit<NfsServerOptions, keyof FileOptions>

const { tls: _tls, ...checks } = serverChecks

const versions: Check = (name, value) => {
  const isList = Array.isArray(value) && value.length > 0 && value.every((each) => [2, 3, 4].includes(each))
  if (!isList) throw new TypeError(`${name}: expected a list of 2, 3 and 4`)
}

export const nfsChecks: Checks<OwnOptions> = {
  ...checks,
  versions,
  publicHandle: flag,
  mount: flag,
  exported: text,
  readdirplus: flag,
  auth: word('none', 'sys'),
  pageSize: count,
}

/**
 * A read-only NFS server over TCP: versions 2, 3 and 4.0, with WebNFS's public filehandle, and on the same port MOUNT
 * and the portmapper. It misbehaves below /misbehaviour/.
 */
export async function startNfsServer(options: NfsServerOptions = {}): Promise<FileServer> {
  checkOptions('startNfsServer', options, { ...nfsChecks, ...fileChecks })
  return startNfsOn(new ServedFiles(options), options)
}

/** Starts a server; its options must have been checked. */
export async function startNfsOn(tree: ServedFiles, options: OwnOptions): Promise<FileServer> {
  const settings = {
    nodes: new Nodes(tree),
    versions: options.versions ?? [2, 3, 4],
    publicHandle: options.publicHandle ?? true,
    mount: options.mount ?? true,
    exported: options.exported ?? '/',
    readdirplus: options.readdirplus ?? true,
    auth: options.auth ?? 'none',
    pageSize: options.pageSize ?? 100,
  }
  const listener = new FileListener(
    {
      name: 'nfs',
      scheme: 'nfs',
      serve: (connection, server) => new NfsSession(connection, server, settings).run(),
    },
    { ...options, tls: false },
    tree,
  )
  return listener.listen(options.port ?? 0)
}
