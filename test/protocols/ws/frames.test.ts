/** Frames of a WebSocket server: messages, Close frames, and servers that break RFC 6455. */
import { createHash } from 'node:crypto'
import { type ClientOptions, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'
import { type ScriptedServer, startScriptedServer } from '../../support/scripted-server.ts'

/**
 * A server that opens the WebSocket and sends these frames; it waits for the client to end the connection, or with
 * `flood` sends them again and again, and reads nothing.
 */
function start(frames: Buffer, then: 'wait' | 'end' | 'flood' = 'wait'): Promise<ScriptedServer> {
  return startScriptedServer((socket, received) => {
    const head = received.indexOf('\r\n\r\n') + 4
    if (head !== received.length || head < 4) return
    const [, key] = /Sec-WebSocket-Key: (\S+)/.exec(received) ?? []
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    const fields = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`, 'X-Name: voilà']
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('\r\n')}\r\n\r\n`)
    const flood = (): void => void (socket.destroyed || socket.write(frames, () => setImmediate(flood)))
    if (then === 'flood') {
      socket.pause()
      flood()
    } else if (then === 'end') socket.end(frames)
    else socket.write(frames)
  })
}

function frame(first: number, octets: Uint8Array | string): Buffer {
  const content = Buffer.from(octets)
  return Buffer.concat([Buffer.from([first, content.length]), content])
}

const close = (code: number, reason: Uint8Array | string = ''): Buffer =>
  frame(0x88, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]))

async function read(server: ScriptedServer, request: RetrieveOptions = {}, options: ClientOptions = {}) {
  await using client = createClient({ limits: { maxRetries: 0 }, ...options })
  return await (await client.retrieve(`ws://127.0.0.1:${server.port}/`, request)).text()
}

/** The codes of the Close frames that the client sent, unmasked. */
async function sentCodes({ ended }: ScriptedServer): Promise<number[]> {
  const octets = Buffer.from(await ended, 'latin1')
  const codes: number[] = []
  for (let at = octets.indexOf('\r\n\r\n') + 4; at < octets.length; ) {
    const length = (octets[at + 1] ?? 0) & 127
    const content = octets.subarray(at + 6, at + 6 + length)
    const code = content.map((octet, index) => octet ^ (octets[at + 2 + (index % 4)] ?? 0))
    if (octets[at] === 0x88) codes.push(length < 2 ? 1005 : Buffer.from(code).readUInt16BE())
    at += 6 + length
  }
  return codes
}

test.each([
  ['a text that is not UTF-8', frame(0x81, Buffer.from('a\xff', 'latin1')), 1007],
  ['a text that ends within a character', frame(0x81, Buffer.from([0x61, 0xc3])), 1007],
  ['a fragmented text that is not UTF-8', Buffer.concat([frame(0x01, 'a'), frame(0x80, Buffer.from([0xff]))]), 1007],
  ['a Close frame of one octet', frame(0x88, 'x'), 1002],
  ['a Close frame with the code 999', close(999), 1002],
  ['a Close frame with the code 1005', close(1005), 1002],
  ['a Close frame with the code 1006', close(1006), 1002],
  ['a Close frame with the code 1015', close(1015), 1002],
  ['a Close frame with the code 2000', close(2000), 1002],
  ['a Close frame whose reason is not UTF-8', close(1000, Buffer.from([0xff])), 1007],
  ['a fragmented ping', frame(0x09, 'x'), 1002],
  ['a long ping', Buffer.concat([Buffer.from([0x89, 126, 0, 200]), Buffer.alloc(200)]), 1002],
  ['a masked frame', Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5]), 1002],
  ['a reserved bit', frame(0xc1, 'x'), 1002],
  ['a frame of 2^63 octets', Buffer.from([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]), 1002],
  ['a frame of 2^53 octets', Buffer.from([0x82, 127, 0, 0x20, 0, 0, 0, 0, 0, 0]), 1002],
  ['an unknown opcode', frame(0x83, 'x'), 1002],
  ['an unknown control opcode', frame(0x8b, 'x'), 1002],
  ['a continuation of nothing', frame(0x80, 'x'), 1002],
  ['a text within a text', Buffer.concat([frame(0x01, 'a'), frame(0x81, 'b')]), 1002],
])('case 42, %s is a protocol error, and the server is told', async (_what, frames, code) => {
  await using server = await start(frames)
  await expect(read(server)).rejects.toMatchObject({ code: 'protocol-violation' })
  expect(await sentCodes(server)).toEqual([code])
})

test.each([
  [1002, '', '1002 (protocol error)'],
  [1003, 'no', '1003 (unsupported data) no'],
  [1008, 'Grüße', '1008 (policy violation) Grüße'],
  [1011, 'a\x1b[31mb', '1011 (internal error) a'],
  [4000, 'own', '4000 own'],
])('the server closes with %i: an error that says why', async (code, reason, words) => {
  await using server = await start(Buffer.concat([frame(0x81, 'x'), close(code, reason)]))
  const error = await read(server).catch((error: unknown) => error)
  expect(error).toMatchObject({ code: 'server-refused', message: expect.stringContaining(words) })
  expect(String(error)).not.toContain('\x1b')
  expect(await sentCodes(server)).toEqual([code])
})

test('case 47, a token that the server repeats in its Close frame is not shown', async () => {
  const token = 't0ken-of-mine'
  await using server = await start(close(1008, `Bad ${token}`))
  const error = await failure(read(server, { headers: { 'X-Token': token } }))
  expect(error).toMatchObject({ code: 'server-refused', reply: '1008 Bad <password>' })
  expect(`${error.message}${JSON.stringify(error)}`).not.toContain(token)
})

test.each([
  ['1000', close(1000, 'bye')],
  ['1001', close(1001)],
  ['no code', frame(0x88, '')],
])('the server closes with %s: the body is whole', async (_code, frames) => {
  await using server = await start(Buffer.concat([frame(0x81, 'one'), frames]))
  expect(await read(server)).toBe('one\n')
})

test('the octet A0 that ends a header field stays, since it may end a letter', async () => {
  await using server = await start(close(1000))
  await using client = createClient()
  const representation = await client.retrieve(`ws://127.0.0.1:${server.port}/`)
  await representation.cancel()
  const { headers } = representation.metadata as { readonly headers: Readonly<Record<string, string>> }
  expect(headers['x-name']).toBe(Buffer.from('voilà').toString('latin1'))
})

test('a text in pieces, cut within a character, with a ping between them', async () => {
  const [a, b] = [Buffer.from([0x47, 0xc3]), Buffer.from([0xbc, 0x21])]
  await using server = await start(Buffer.concat([frame(0x01, a), frame(0x89, 'ping'), frame(0x80, b), close(1000)]))
  expect(await read(server)).toBe('Gü!\n')
})

test.each([
  ['behind a message', frame(0x81, 'one')],
  ['within a message', frame(0x01, 'one')],
  ['within a head', Buffer.from([0x81])],
])('property 12: a connection that ends without a Close frame %s is partial', async (_where, frames) => {
  await using server = await start(frames, 'end')
  await expect(read(server)).rejects.toMatchObject({ code: 'partial' })
})

test('a Close frame within a message is partial', async () => {
  await using server = await start(Buffer.concat([frame(0x01, 'one'), close(1000)]))
  await expect(read(server)).rejects.toMatchObject({ code: 'partial' })
})

test('the time limit and an abort send a Close frame', async () => {
  await using timed = await start(frame(0x81, 'one'))
  const limits = { totalTimeout: 1000, maxRetries: 0 }
  await expect(read(timed, {}, { limits })).rejects.toMatchObject({ code: 'timeout' })
  expect(await sentCodes(timed)).toEqual([1001])

  await using aborted = await start(frame(0x81, 'one'))
  await using client = createClient()
  const abort = new AbortController()
  const { body } = await client.retrieve(`ws://127.0.0.1:${aborted.port}/`, { signal: abort.signal })
  const reader = body.getReader()
  await reader.read()
  abort.abort()
  await expect(reader.read().then(() => reader.read())).rejects.toMatchObject({ code: 'aborted' })
  expect(await sentCodes(aborted)).toEqual([1001])
})

test('a server that sends pings and reads no pong does not keep the connection', async () => {
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => frame(0x89, 'x'.repeat(125))))
  await using server = await start(pings, 'flood')
  await expect(read(server, {}, { limits: { idleTimeout: 1000, maxRetries: 0 } })).rejects.toMatchObject({
    code: 'timeout',
  })
  // The connection ends although the server has not taken all that was sent.
  expect(await server.ended).toMatch(/^GET /)
})

test('count ends the body, closes the WebSocket, and wants so many', async () => {
  const frames = Buffer.concat([frame(0x81, 'one'), frame(0x82, 'two'), frame(0x81, 'three')])
  await using server = await start(frames)
  expect(await read(server, { count: 2 })).toBe('one\ntwo')
  expect(await sentCodes(server)).toEqual([1000])
  await using one = await start(frames)
  expect(await read(one, { count: 1 })).toBe('one')
  await using few = await start(Buffer.concat([frames, close(1000)]))
  await expect(read(few, { count: 4 })).rejects.toMatchObject({ code: 'partial' })
})

test('jsonMessages: a line each', async () => {
  const frames = [frame(0x81, 'Grüße\n'), frame(0x01, 'a'), frame(0x80, 'b'), frame(0x82, Buffer.from([0, 255]))]
  await using server = await start(Buffer.concat([...frames, close(1000)]))
  const lines = (await read(server, { jsonMessages: true })).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { type: 'text', size: 8, encoding: 'utf-8', payload: 'Grüße\n' },
    { type: 'text', size: 2, encoding: 'utf-8', payload: 'ab' },
    { type: 'binary', size: 2, encoding: 'base64', payload: 'AP8=' },
  ])
  await using large = await start(Buffer.concat([...frames, close(1000)]))
  const limits = { maxCollected: 7 }
  await expect(read(large, { jsonMessages: true }, { limits })).rejects.toMatchObject({
    code: 'limit-exceeded',
    // A reader that collects the lines has the same limit, and another message.
    message: expect.stringContaining('A message has over 7 octets'),
  })
})
