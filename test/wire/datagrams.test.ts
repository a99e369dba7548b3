/** UDP: packets that do not come from the server that was asked are none of its answer. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { startProsperoServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { body } from '../support/outcome.ts'

/** A socket on a free port of an address of loopback. */
async function socketAt(address: string) {
  const socket = createSocket('udp4')
  socket.bind({ address, port: 0 })
  await once(socket, 'listening')
  return Object.assign(socket, {
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  })
}

const send = (socket: Socket, octets: string | Buffer, { port }: RemoteInfo): void =>
  socket.send(typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets, port, '127.0.0.1')

const block = (number: number, text: string): string => `\0\x03\0${String.fromCharCode(number)}${text}`
const options = { limits: { idleTimeout: 4000 } }

// Linux has all of 127.0.0.0/8 without being told to.
describe.runIf(process.platform === 'linux')('case 76, an answer of another address does not become the file', () => {
  test('TFTP: before the server answers, and within the file', async () => {
    await using server = await socketAt('127.0.0.1')
    await using stranger = await socketAt('127.0.0.2')
    const full = 'a'.repeat(512)
    server.on('message', (octets, from) => {
      const [, kind = 0, , number = 0] = octets
      if (kind === 1) send(stranger, block(1, 'forged'), from)
      if (kind === 1) send(server, block(1, full), from)
      if (kind === 4 && number === 1) send(stranger, block(2, 'forged'), from)
      if (kind === 4 && number === 1) send(server, block(2, 'the end'), from)
    })
    const { got, error } = await body(`tftp://127.0.0.1:${server.address().port}/x`, options)
    expect([got?.toString(), error]).toEqual([`${full}the end`, null])
  })

  test('TFTP: a stranger alone is no server', async () => {
    await using server = await socketAt('127.0.0.1')
    await using stranger = await socketAt('127.0.0.2')
    server.on('message', (_, from) => send(stranger, '\0\x05\0\x01no such file\0', from))
    const { error } = await body(`tftp://127.0.0.1:${server.address().port}/x`, { limits: { idleTimeout: 800 } })
    expect(error).toMatchObject({ code: 'timeout' })
  })

  test('Prospero: after the request was sent again', async () => {
    const fileOf = (text: string): string =>
      'ATTRIBUTE OBJECT INTRINSIC BASE-TYPE SEQUENCE FILE\n' +
      `ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA '${text}'\n`
    await using real = await startProsperoServer({ faults: { replies: { 'GET-OBJECT-INFO': fileOf('real') } } })
    await using forging = await startProsperoServer({ faults: { replies: { 'GET-OBJECT-INFO': fileOf('forged') } } })
    await using front = await socketAt('127.0.0.1')
    await using stranger = await socketAt('127.0.0.2')
    let asked = 0
    front.on('message', async (octets, from) => {
      // The first one is lost: from then on, the server may answer from another port.
      if (++asked !== 2) return
      send(stranger, await answerOf(forging.port, octets), from)
      send(front, await answerOf(real.port, octets), from)
    })
    const { got } = await body(`prospero://127.0.0.1:${front.address().port}//x`, options)
    expect(got?.toString()).toBe('real')
  })

  /** The packet by which a server answers another one. */
  async function answerOf(port: number, request: Buffer): Promise<Buffer> {
    await using socket = await socketAt('127.0.0.1')
    socket.send(request, port, '127.0.0.1')
    const [answer] = await once(socket, 'message')
    return answer as Buffer
  }
})

test('case 76, TFTP: a block from another port, which comes along with the first one, is none of the file', async () => {
  await using server = await socketAt('127.0.0.1')
  await using stranger = await socketAt('127.0.0.1')
  const full = 'a'.repeat(512)
  server.on('message', (octets, from) => {
    const [, kind = 0, , number = 0] = octets
    if (kind === 1) send(server, block(1, full), from)
    if (kind === 1) send(stranger, block(2, 'forged'), from)
    if (kind === 4 && number === 1) send(server, block(2, 'the end'), from)
  })
  const { got } = await body(`tftp://127.0.0.1:${server.address().port}/x`, options)
  expect(got?.toString()).toBe(`${full}the end`)
})
