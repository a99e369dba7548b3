import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { startWaisServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { recordedCollection } from './support/recorded-collection.ts'
import { type Exchange, exchangesOf, readRecording } from './support/recording.ts'

/** The embedded server has the documents of a recording, and must answer its requests as the real server did. */
const folder = new URL('./transcripts/', import.meta.url)
const recordings = readdirSync(folder)
  .map((name) => [name, exchangesOf(readRecording(readFileSync(new URL(name, folder), 'latin1')))] as const)
  // An encoding that was announced and not used makes rubbish of the answer; it may be any.
  .filter(([, exchanges]) => exchanges.every(({ request }) => !/^.{22}[^ ]|^.{23}[^ ]/s.test(request)))

/** Sends each request, whole or octet by octet, after the answer to the one before. Returns all answers. */
async function play(port: number, exchanges: readonly Exchange[], mode: 'whole' | 'bytes'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  let came = ''
  let wake = (): void => {}
  let isOver = false
  socket.on('data', (octets) => {
    came += octets
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isOver = true
    wake()
  })
  let wanted = 0
  for (const { request, answer } of exchanges) {
    if (isOver) break
    if (mode === 'whole') socket.write(request, 'latin1')
    else
      for (const octet of request) await new Promise<void>((done) => void socket.write(octet, 'latin1', () => done()))
    wanted += answer?.length ?? 0
    while (came.length < wanted && !isOver) await new Promise<void>((next) => (wake = next))
  }
  socket.end()
  while (!isOver) await new Promise<void>((next) => (wake = next))
  return came
}

describe.each(['whole', 'bytes'] as const)('requests come %s', (mode) => {
  test.each(recordings)('%s', async (_, exchanges) => {
    await using server = await startWaisServer({ collection: recordedCollection(exchanges) })
    const came = await play(server.port, exchanges, mode)
    expect(Buffer.from(came, 'latin1').toString('hex')).toBe(
      Buffer.from(exchanges.map(({ answer }) => answer ?? '').join(''), 'latin1').toString('hex'),
    )
  })
})
