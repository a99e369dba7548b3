import type { Duplex } from 'node:stream'
import { startServer, type TestServer } from '@retriever/servers'
import ssh2 from 'ssh2'
import { everyOctet } from './contract/octets.ts'

const { Server, utils } = ssh2
const { STATUS_CODE: status } = utils.sftp

/** A new private key of Ed25519. ssh2 makes one in 400 that it cannot read itself. */
export function newKey(options: { passphrase?: string; cipher?: string; rounds?: number } = {}): string {
  while (true) {
    const { private: key } = utils.generateKeyPairSync(
      'ed25519',
      options as Parameters<typeof utils.generateKeyPairSync>[1],
    )
    if (!(utils.parseKey(key, options.passphrase) instanceof Error)) return key
  }
}

/** The key of the test servers, and the fingerprint and the line of known_hosts that name it. */
export const hostKey: string = newKey()
const parsed = utils.parseKey(hostKey)
if (parsed instanceof Error) throw parsed
export const publicKey: Buffer = parsed.getPublicSSH()

/** A line of known_hosts for a server, with the test servers' key or another one. */
export function knownLine(server: Pick<TestServer, 'host' | 'port'>, key: Buffer = publicKey): string {
  return `[${server.host}]:${server.port} ssh-ed25519 ${key.toString('base64')}`
}

export interface SftpOptions {
  readonly faults?: Parameters<typeof startServer>[0]['faults']
  /** A public key that logs alice in. */
  readonly clientKey?: Buffer
  /** Names in /pub beside those of the seed. */
  readonly names?: readonly string[]
  /** The most octets of one answer to a read. */
  readonly readAtMost?: number
  /** The attributes that the server tells; all by default. */
  readonly tells?: readonly string[]
  /** Whether names in a directory come without attributes. */
  readonly bareNames?: boolean
  /** Whether names in a directory come without their lines of `ls -l`. */
  readonly namesAlone?: boolean
  /** Files in /many. */
  readonly many?: number
  /** Serves the channel of SFTP in place of the files: octets go in and out as they are. */
  readonly raw?: (stream: Duplex) => void
  /** The host keys. Default: hostKey. */
  readonly hostKeys?: readonly string[]
  /** Called at each login that succeeds. */
  readonly onLogin?: () => void
  /** Called with each password that arrives. */
  readonly onPassword?: (password: string) => void
  /** The methods of login that are offered. */
  readonly methods?: readonly ('password' | 'keyboard-interactive' | 'publickey')[]
}

interface Node {
  readonly mode: number
  readonly content?: Uint8Array
  readonly target?: string
}

const directory: Node = { mode: 0o040755 }
const link = (target: string): Node => ({ mode: 0o120777, target })
const file = (content: string | Uint8Array): Node => ({ mode: 0o100644, content: Buffer.from(content) })

function seed(names: readonly string[], many: number): Map<string, Node> {
  return new Map<string, Node>([
    ['/', directory],
    ['/pub', directory],
    ['/pub/a.bin', file(everyOctet)],
    ['/pub/hello.txt', file('Hello.\n')],
    ['/pub/grüße.txt', file('Grüße\n')],
    ['/pub/link', link('hello.txt')],
    ['/pub/sub', directory],
    ['/pub/fifo', { mode: 0o010644 }],
    ['/home/alice/x', file('at home\n')],
    ['/pub/big.bin', file(Buffer.alloc(3_000_001, 'abcdefg'))],
    ['/many', directory],
    ...Array.from({ length: many }, (_, at): [string, Node] => [`/many/${at}`, file(`file ${at}\n`)]),
    ...names.map((name): [string, Node] => [`/pub/${name}`, file(name)]),
  ])
}

/** An SSH server with SFTP, for alice with the password secret. It plays the faults of the other test servers. */
export function startSftpServer(options: SftpOptions = {}): Promise<TestServer> {
  const { faults = {}, clientKey, names = [], readAtMost = 256 * 1024 } = options
  const { methods = ['password', ...(clientKey ? ['publickey' as const] : [])] } = options
  const nodes = seed(names, options.many ?? 0)
  const attrs = ({ mode, content }: Node) => {
    const time = Date.UTC(2001, 1, 3, 4, 5, 6) / 1000
    const all = { mode, uid: 1000, gid: 1000, size: content?.length ?? 0, atime: time, mtime: time }
    const told = Object.entries(all).filter(([name]) => options.tells?.includes(name) ?? true)
    return Object.fromEntries(told) as typeof all
  }
  return startServer({
    scheme: 'sftp',
    faults,
    async serve(connection) {
      if (await connection.sendFault('greeting')) return
      const over = new Promise<void>((resolve) => connection.stream.once('end', resolve).once('close', resolve))
      const silent = (stall: string): boolean => connection.faults.stall === stall
      const server = new Server({ hostKeys: [...(options.hostKeys ?? [hostKey])] }, (client) => {
        client.on('error', () => connection.stream.destroy())
        client.on('authentication', (auth) => {
          if (silent('login')) return
          const isAlice = auth.username === 'alice'
          if (auth.method === 'password') options.onPassword?.(auth.password)
          if (auth.method === 'password' && methods.includes('password') && isAlice && auth.password === 'secret')
            return auth.accept()
          if (auth.method === 'publickey' && clientKey?.equals(auth.key.data) && isAlice) return auth.accept()
          if (auth.method === 'keyboard-interactive' && methods.includes('keyboard-interactive')) {
            return auth.prompt([{ prompt: 'Password: ', echo: false }], ([answer]) =>
              answer === 'secret' && isAlice ? auth.accept() : auth.reject([...methods]),
            )
          }
          auth.reject([...methods])
        })
        client.on('ready', () => {
          options.onLogin?.()
          client.on('session', (accept) => {
            const { raw } = options
            if (raw !== undefined) {
              accept().on('subsystem' as 'exec', (acceptRaw: () => unknown) => raw(acceptRaw() as Duplex))
              return
            }
            accept().on('sftp', (acceptSftp) => {
              const sftp = acceptSftp()
              const handles = new Map<number, { path: string; isRead: boolean }>()
              const pathOf = (path: string): string =>
                (path.startsWith('/') ? path : `/home/alice/${path.slice(2)}`).replace(/(?<=.)\/$/, '')
              const tell = (id: number, path: string, followsLinks: boolean): void => {
                if (silent('response')) return
                const found = nodes.get(pathOf(path))
                const node = followsLinks && found?.target ? nodes.get(`/pub/${found.target}`) : found
                if (path === '/pub/secret') sftp.status(id, status.PERMISSION_DENIED)
                else if (node === undefined) sftp.status(id, status.NO_SUCH_FILE, 'No such file')
                else sftp.attrs(id, attrs(node))
              }
              const take = (id: number, path: string): void => {
                const number = handles.size
                handles.set(number, { path: pathOf(path), isRead: false })
                sftp.handle(id, Buffer.from([number >> 8, number & 255]))
              }
              sftp.on('STAT', (id, path) => tell(id, path, true))
              sftp.on('LSTAT', (id, path) => tell(id, path, false))
              sftp.on('OPEN', (id, path) =>
                take(id, nodes.get(path)?.target === undefined ? path : `/pub/${nodes.get(path)?.target}`),
              )
              sftp.on('OPENDIR', (id, path) => take(id, path))
              sftp.on('READLINK', (id, path) => {
                const target = nodes.get(path)?.target ?? ''
                sftp.name(id, [{ filename: target, longname: target, attrs: attrs(directory) }])
              })
              sftp.on('CLOSE', (id) => sftp.status(id, status.OK))
              sftp.on('READDIR', (id, handle) => {
                const at = handles.get(handle.readUInt16BE())
                if (at === undefined || at.isRead) return sftp.status(id, status.EOF)
                at.isRead = true
                const prefix = at.path === '/' ? '/' : `${at.path}/`
                const children = [...nodes].filter(
                  ([path]) =>
                    path.startsWith(prefix) &&
                    path !== prefix &&
                    (prefix === '/pub/' || !path.slice(prefix.length).includes('/')),
                )
                sftp.name(
                  id,
                  [['.', directory] as const, ...children].map(([path, node]) => {
                    const filename = path.slice(path === '.' ? 0 : prefix.length)
                    return {
                      filename,
                      longname: options.namesAlone
                        ? ''
                        : `-rw-r--r-- 1 alice users ${node.content?.length ?? 0} Feb 3 2001 ${filename}`,
                      attrs: options.bareNames ? ({} as ReturnType<typeof attrs>) : attrs(node),
                    }
                  }),
                )
              })
              sftp.on('READ', (id, handle, offset, length) => {
                const { shortBody = 0, resetAfter = Number.POSITIVE_INFINITY } = connection.faults
                const content = nodes.get(handles.get(handle.readUInt16BE())?.path ?? '')?.content ?? new Uint8Array(0)
                const end = Math.min(content.length - shortBody, offset + Math.min(length, readAtMost), resetAfter)
                if (silent('body') && offset >= content.length / 2) return
                if (offset >= resetAfter) return void connection.stream.destroy()
                if (offset >= end) return sftp.status(id, status.EOF)
                const stop = silent('body') ? Math.min(end, Math.ceil(content.length / 2)) : end
                sftp.data(id, Buffer.from(content.subarray(offset, stop)))
              })
            })
          })
        })
      })
      server.injectSocket(Object.assign(connection.stream, { setNoDelay: () => connection.stream }) as never)
      await over
    },
  })
}
