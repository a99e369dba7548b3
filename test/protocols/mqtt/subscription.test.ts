/** The messages of an MQTT subscription, and how it ends. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClientOptions, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli/run.ts'
import { type ScriptedServer, startScriptedServer } from '../../support/scripted-server.ts'

const folder = temporaryFolder()

/** A broker that sends these octets behind SUBACK, and waits for the client to leave. */
function start(octets: string, then: 'wait' | 'end' = 'wait'): Promise<ScriptedServer> {
  let isSent = false
  return startScriptedServer((socket, received) => {
    if (!received.includes('\x82')) return void socket.write('\x20\x02\0\0', 'latin1')
    if (isSent) return
    isSent = true
    socket.write(`\x90\x03\0\x01\0${octets}`, 'latin1')
    if (then === 'end') socket.end()
  })
}

function publish(topic: string, payload: string, flags = 0): string {
  const content = `\0${String.fromCharCode(topic.length)}${topic}${payload}`
  return String.fromCharCode(0x30 | flags, content.length) + content
}

const disconnect = '\xe0\0'
const three = publish('a', 'one') + publish('b/c', 'two\n', 1) + publish('a', '\xff')

async function read(server: ScriptedServer, request: RetrieveOptions = {}, options: ClientOptions = {}) {
  await using client = createClient({ limits: { maxRetries: 0 }, ...options })
  const representation = await client.retrieve(`mqtt://127.0.0.1:${server.port}/%23`, request)
  return Buffer.from(await representation.bytes()).toString('latin1')
}

test('messages are separated by line ends', async () => {
  await using server = await start(three, 'end')
  expect(await read(server)).toBe('one\ntwo\n\n\xff\n')
})

test('jsonMessages: a line each, with topic, qos, retain, size and payload', async () => {
  await using server = await start(three, 'end')
  const lines = (await read(server, { jsonMessages: true })).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { topic: 'a', qos: 0, retain: false, size: 3, encoding: 'utf-8', payload: 'one' },
    { topic: 'b/c', qos: 0, retain: true, size: 4, encoding: 'utf-8', payload: 'two\n' },
    { topic: 'a', qos: 0, retain: false, size: 1, encoding: 'base64', payload: '/w==' },
  ])
})

test('count ends the body and says goodbye; one message alone is as it is', async () => {
  await using server = await start(three)
  expect(await read(server, { count: 2 })).toBe('one\ntwo\n\n')
  expect((await server.ended).endsWith(disconnect)).toBe(true)
  await using one = await start(three)
  expect(await read(one, { count: 1 })).toBe('one')
  await using few = await start(three, 'end')
  await expect(read(few, { count: 4 })).rejects.toMatchObject({ code: 'partial' })
})

test('a message over limits.maxCollected does not become a line of JSON', async () => {
  await using server = await start(publish('a', 'four'), 'end')
  const limits = { maxCollected: 3 }
  await expect(read(server, { jsonMessages: true }, { limits })).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringContaining('A message has over 3 octets'),
  })
})

test('count counts the messages that came before the subscription was acknowledged', async () => {
  await using server = await startScriptedServer((socket, received) => {
    socket.write(received.includes('\x82') ? `${three}\x90\x03\0\x01\0` : '\x20\x02\0\0', 'latin1')
  })
  expect(await read(server, { count: 2 })).toBe('one\ntwo\n\n')
  await using another = await startScriptedServer((socket, received) => {
    const rest = publish('a', 'last') + publish('a', 'more')
    socket.write(received.includes('\x82') ? `${three}\x90\x03\0\x01\0${rest}` : '\x20\x02\0\0', 'latin1')
  })
  expect(await read(another, { count: 4 })).toBe('one\ntwo\n\n\xff\nlast\n')
})

test('the time limit ends a subscription well, and its file is there', async () => {
  await using server = await start(three)
  await using client = createClient({ limits: { totalTimeout: 1000 } })
  const representation = await client.retrieve(`mqtt://127.0.0.1:${server.port}/%23`)
  await representation.saveTo(join(folder(), 'messages'))
  expect(await readFile(join(folder(), 'messages'), 'latin1')).toBe('one\ntwo\n\n\xff\n')
  expect(await readdir(folder())).toEqual(['messages'])
  expect((await server.ended).endsWith(disconnect)).toBe(true)
})

test.each([
  ['fewer messages than are wanted', three, { count: 4 }],
  ['a message that is cut', `${three}\x30\x20\0\x01axyz`, {}],
])('the time limit is an error with %s', async (_what, octets, request) => {
  await using server = await start(octets)
  const limits = { totalTimeout: 1000, maxRetries: 0 }
  await expect(read(server, request, { limits })).rejects.toMatchObject({ code: 'timeout' })
  expect((await server.ended).endsWith(disconnect)).toBe(true)
})

test('the time limit is an error if the broker does not answer', async () => {
  await using server = await startScriptedServer(() => {})
  const limits = { totalTimeout: 1000, maxRetries: 0 }
  await expect(read(server, {}, { limits })).rejects.toMatchObject({ code: 'timeout' })
})

test('an abort says goodbye', async () => {
  await using server = await start(three)
  await using client = createClient()
  const abort = new AbortController()
  const { body } = await client.retrieve(`mqtt://127.0.0.1:${server.port}/%23`, { signal: abort.signal })
  await body.getReader().read()
  abort.abort()
  expect((await server.ended).endsWith(disconnect)).toBe(true)
})
