import { createHash } from 'node:crypto'
import { type AccountOptions, accountChecks, seedAccounts, userOf } from '../accounts.ts'
import { refusalOf, type SiteOptions, siteChecks } from '../http/sites.ts'
import { Listener } from '../listener.ts'
import { type Checks, checkOptions } from '../options.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'

export interface WsServerOptions extends ServerOptions, SiteOptions, AccountOptions {}

export const wsChecks: Checks<WsServerOptions> = { ...serverChecks, ...siteChecks, ...accountChecks }

/** A frame of a server (RFC 6455, 5.2). It is not masked. */
function frame(first: number, octets: Uint8Array | string): Buffer {
  const content = Buffer.from(octets)
  const { length } = content
  const head = length < 126 ? [first, length] : [first, 126, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}

const close = frame(0x88, Buffer.from([3, 232]))

/** The messages that each path sends, once the WebSocket is open. */
const paths: Readonly<Record<string, Buffer>> = {
  '/texts': Buffer.concat([frame(0x81, 'one'), frame(0x81, 'Grüße'), frame(0x81, ''), close]),
  '/binary': Buffer.concat([
    frame(
      0x82,
      Uint8Array.from({ length: 256 }, (_, octet) => octet),
    ),
    close,
  ]),
  // A message in three frames, with a ping between them.
  '/fragments': Buffer.concat([frame(0x01, 'a'), frame(0x89, 'ping'), frame(0x00, 'b'), frame(0x80, 'c'), close]),
  '/failure': Buffer.concat([frame(0x81, 'x'), frame(0x88, Buffer.from('\x03\xf3broken', 'latin1'))]),
  '/reserved': frame(0xc1, 'x'),
  '/masked': Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5]),
  '/orphan': frame(0x80, 'x'),
  '/long-ping': frame(0x89, Buffer.alloc(200)),
}

/** A WebSocket server (RFC 6455): each path sends its messages, then closes. */
export async function startWsServer(options: WsServerOptions = {}): Promise<TestServer> {
  checkOptions('startWsServer', options, wsChecks)
  const listener = new Listener(
    {
      name: 'ws',
      scheme: 'ws',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await serveMessages(serverConnection(connection, server), options)
      },
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}

async function serveMessages(
  connection: ServerConnection,
  { hosts = [], accounts = seedAccounts, auth }: WsServerOptions,
): Promise<void> {
  const request = await connection.readLine()
  if (request === undefined) return
  const path = request.split(' ')[1] ?? ''
  if (await connection.sendFault(path, 'greeting')) return
  const fields: Record<string, string> = {}
  for (let line = await connection.readLine(); line; line = await connection.readLine()) {
    const [, name = '', value = ''] =
      /^(authorization|host|origin|sec-fetch-site|sec-websocket-key):[ \t]*(.*)$/is.exec(line) ?? []
    fields[name.toLowerCase()] = value.trim()
  }
  const { host, origin, 'sec-fetch-site': fetchSite, 'sec-websocket-key': key = '' } = fields
  const refusal = refusalOf({ host, origin, fetchSite }, hosts)
  if (refusal !== undefined) {
    const status = refusal.status === 421 ? '421 Misdirected Request' : '403 Forbidden'
    return connection.send(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  }
  const isWanted = auth === 'required' || /^basic /i.test(fields.authorization ?? '')
  if (isWanted && userOf(accounts, fields.authorization) === undefined) {
    const challenge = 'WWW-Authenticate: Basic realm="test"\r\nContent-Length: 0\r\nConnection: close\r\n'
    return connection.send(`HTTP/1.1 401 Unauthorized\r\n${challenge}\r\n`)
  }
  if (connection.faults.stall === 'response') return connection.stall()
  const messages = Object.hasOwn(paths, path) ? paths[path] : undefined
  if (messages === undefined || key === '') {
    return connection.send('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  }
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const answer = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`
  await connection.send(`HTTP/1.1 101 Switching Protocols\r\n${answer}\r\n`)
  if (await connection.sendBody(messages)) await connection.stall()
}
