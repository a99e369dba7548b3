import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect } from 'vitest'

/** One request as it came. */
export interface Asked {
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string>>
  readonly target: string
  readonly socket: Socket
  /** From 0, over all connections. */
  readonly index: number
}

/**
 * An answer's octets, after which `close` ends the connection, a promise resets it once it settles; nothing leaves it
 * open.
 */
export interface Said {
  readonly octets: string | Buffer
  readonly ending?: 'close' | Promise<unknown>
}

export interface ScriptedHttp extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
  /** Connections that have been made. */
  readonly accepted: () => number
  /** Settles when none is open. */
  closed(): Promise<void>
}

/**
 * A server of which a test writes every octet, sent whole or octet by octet. A request that gets null is not answered.
 */
export async function scriptedHttp(
  answer: (asked: Asked) => Said | null | Promise<Said | null>,
  chunking: 'whole' | 'bytes' = 'whole',
): Promise<ScriptedHttp> {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  let accepted = 0
  const server = createServer({ noDelay: true }, (socket) => {
    accepted++
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    let received = ''
    socket.on('data', async (octets) => {
      received += octets.toString('latin1')
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        const request = read(received.slice(0, end), socket, asked.length)
        received = received.slice(end + 4)
        asked.push(request)
        const said = await answer(request)
        if (said !== null) await say(socket, said, chunking)
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}/x`,
    asked,
    accepted: () => accepted,
    closed: () => expect.poll(() => sockets.size).toBe(0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function read(head: string, socket: Socket, index: number): Asked {
  const [line = '', ...lines] = head.split('\r\n')
  const fields = lines.map((each) => [
    each.slice(0, each.indexOf(':')).toLowerCase(),
    each.slice(each.indexOf(':') + 2),
  ])
  return { fields: Object.fromEntries(fields), target: line.split(' ')[1] ?? '', socket, index }
}

async function say(socket: Socket, { octets, ending }: Said, chunking: 'whole' | 'bytes'): Promise<void> {
  const buffer = Buffer.from(octets as string, 'latin1')
  if (chunking === 'whole') socket.write(buffer)
  else for (const octet of buffer) await new Promise((written) => socket.write(Buffer.of(octet), written))
  if (ending === 'close') socket.end()
  else if (ending !== undefined) ending.then(() => socket.resetAndDestroy())
}

/** A header section; a Content-Length is that of the content where none is given. */
export function reply(
  status: string,
  fields: Readonly<Record<string, string | null>>,
  content: string | Buffer = '',
): Buffer {
  const all = { 'Content-Length': String(content.length), ...fields }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]))
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} x\r\n${lines.join('')}\r\n`, 'latin1'),
    Buffer.from(content as string, 'latin1'),
  ])
}

/** A 206 with the octets that Range asks for, of this content. */
export function part(
  { fields: { range = '' } }: Asked,
  content: string | Buffer,
  fields: Readonly<Record<string, string | null>> = {},
): Buffer {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
  const end = last === '' ? content.length : Math.min(Number(last) + 1, content.length)
  const stated = `bytes ${first}-${end - 1}/${content.length}`
  return reply('206', { 'Content-Range': stated, ...fields }, content.slice(Number(first), end))
}
