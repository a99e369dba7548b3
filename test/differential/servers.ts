import { createHash, createPublicKey, X509Certificate } from 'node:crypto'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { startFtpServer, startHttpServer, startServers, testCa } from '@retriever/servers'
import { startOddServer } from './odd-server.ts'

/** The servers, and the variables that name them in a line. */
export interface Fixture extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
}

export async function startFixture(): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-lines-'))
  await writeFiles(folder)
  const servers = await startServers({ http: { hosts: ['*'] }, ftp: true, gopher: true, record: false })
  const secure = await startHttpServer({ tls: true, record: false })
  const ftpes = await startFtpServer({ tls: 'explicit', record: false })
  const odd = await startOddServer()
  const sockets = [join(folder, 'socket'), '\0retriever-test']
  const local = await Promise.all(sockets.map(startLocal))
  const dead = await closedPort()
  const env = {
    HTTP: `http://127.0.0.1:${servers.http.port}`,
    HTTP_PORT: String(servers.http.port),
    FTP: `ftp://127.0.0.1:${servers.ftp.port}`,
    FTP_PORT: String(servers.ftp.port),
    GOPHER: `gopher://127.0.0.1:${servers.gopher.port}`,
    HTTPS: `https://127.0.0.1:${secure.port}`,
    FTPES: `ftp://127.0.0.1:${ftpes.port}`,
    ODD: odd.url,
    DEAD: `http://127.0.0.1:${dead}`,
    DEAD_PORT: String(dead),
    FOLDER: folder,
    FILE: `file://${folder}`,
    SOCKET: sockets[0] ?? '',
    CA: join(folder, 'ca.pem'),
    PIN: await pinOf(secure.port),
  }
  const dispose = async (): Promise<void> => {
    for (const server of local) server.close()
    odd.close()
    await Promise.all([servers.close(), secure.close(), ftpes.close()])
    await rm(folder, { recursive: true, force: true })
  }
  return { env, [Symbol.asyncDispose]: dispose }
}

async function writeFiles(folder: string): Promise<void> {
  const files = { 'one.txt': 'one line\n', 'hello.txt': 'Hello, world.\n', empty: '', 'ca.pem': testCa }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content)
    await utimes(join(folder, name), 1_000_000_000, 1_000_000_000)
  }
}

/** An HTTP server on a Unix socket; a name that begins with NUL is abstract. */
function startLocal(path: string): Promise<Server> {
  const server = createServer((_request, response) => response.end('by socket\n'))
  return new Promise((resolve) => server.listen(path, () => resolve(server)))
}

/** A port of 127.0.0.1 that refuses connections. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The server's public key, as --pinnedpubkey names it. */
function pinOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca: testCa }, () => {
      const { raw } = socket.getPeerCertificate()
      const key = createPublicKey(new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'pem' }))
      const digest = createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('base64')
      socket.destroy()
      resolve(`sha256//${digest}`)
    })
    socket.on('error', reject)
  })
}
