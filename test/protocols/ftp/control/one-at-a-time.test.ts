/**
 * Servers that take one command at a time: they are found out within a few round trips, in the session that is open.
 */
import type { RetrievalEvent } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import type { FtpServerOptions } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { retries, sent } from '../../../support/events.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { dialogues, files, scriptedTrial, trial } from '../support/ftp-trial.ts'
import { type FtpPeer, type Script, sending } from '../support/scripted-ftp.ts'

const roundTrip = 120
/** Below it, no fourth round trip has room. */
const limit = 3.9 * roundTrip
const far: FtpServerOptions = {
  files,
  faults: { oneAtATime: 'discard', latency: { up: roundTrip / 2, down: roundTrip / 2 } },
}

async function timeOf(use: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await use()
  return performance.now() - start
}

/** How much longer one file takes than with one command at a time, in milliseconds. */
async function extraTime(): Promise<number> {
  let extra = 0
  await trial(far, async ({ get, server, events }) => {
    const took = await timeOf(async () => expectSame(await get('pub/data.bin'), octets))
    const inSteps = await trial(far, ({ get: getInSteps }) => timeOf(() => getInSteps('pub/data.bin')), {
      fetchers: [ftpFetcher({ pipelining: false })],
    })
    extra = took - inSteps
    expect(server.accepted).toBe(1)
    expect(retries(events)).toEqual([])
    // The server is known by now.
    expectSame(await get('pub/data.bin'), octets)
    expect(server.accepted).toBe(1)
  })
  return extra
}

test('a server that throws away all but the first costs three round trips more at most', async () => {
  // A busy machine adds waits of its own to some tries, and takes none away.
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 12 && least >= limit; tries++) least = Math.min(least, await extraTime())
  expect(least).toBeLessThan(limit)
})

/** Reads each segment as one command. */
function reading(isKnown: (user: string) => boolean, refusesAt: 'USER' | 'PASS'): Script {
  let user = ''
  let segment = ''
  const isGuest = (peer: FtpPeer) => (isKnown(user) ? peer.say('230 in\r\n') : peer.say('530 who?\r\n'))
  /** Only the first command of a segment was read. */
  const first = (act: (peer: FtpPeer, line: string) => void | Promise<void>) => (peer: FtpPeer, line: string) => {
    const last = lastSegment()
    if (last === segment || !last.startsWith(line)) return undefined
    segment = last
    return act(peer, last)
  }
  const answer = (reply: string) => first((peer) => peer.say(reply.replace('PORT', String(peer.dataPort))))
  return {
    USER: first((peer, line) => {
      user = line.trim().slice(5)
      if (refusesAt === 'PASS' || isKnown(user)) peer.say('331 password\r\n')
      else peer.say('530 who?\r\n')
    }),
    PASS: first(isGuest),
    CWD: answer('250 there\r\n'),
    TYPE: answer('200 type\r\n'),
    SIZE: answer('500 what?\r\n'),
    MDTM: answer('500 what?\r\n'),
    EPSV: answer('229 passive (|||PORT|)\r\n'),
    RETR: first(sending('Hello, world.\n')),
  }
}
let lastSegment: () => string = () => ''

describe('a server that reads all as one command gives the file, in the same session', () => {
  test.each(['USER', 'PASS'] as const)('refusing such a user at %s', (refusesAt) =>
    scriptedTrial(
      reading((user) => user === 'anonymous', refusesAt),
      async ({ get, server }) => {
        lastSegment = () => server.segments.at(-1) ?? ''
        expect((await get('pub/hello.txt')).toString()).toBe('Hello, world.\n')
        expect(dialogues(server.received, 'RETR ')).toHaveLength(1)
        expect(server.peers).toHaveLength(1)
      },
    ),
  )
})

test('several retrievals that find it out at the same time all come', () =>
  trial({ files, faults: { oneAtATime: 'discard' } }, async ({ client, url }) => {
    let count = 0
    for await (const { representation, error } of client.retrieveAll(Array(12).fill(url('pub/data.bin')))) {
      expect(error).toBe(null)
      expectSame((await representation?.bytes()) ?? Buffer.alloc(0), octets)
      count++
    }
    expect(count).toBe(12)
  }))

test('a server that is slow at the login, and takes many commands, goes on as it does', () =>
  scriptedTrial(
    {
      PASS: async (peer) => {
        await new Promise((resolve) => setTimeout(resolve, 400))
        peer.say('230 in\r\n')
      },
    },
    async ({ get, server, events }) => {
      for (let file = 0; file < 2; file++) expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
      expect(server.peers).toHaveLength(1)
      expect(retries(events)).toEqual([])
      expect(server.received.filter((line) => line === 'TYPE I')).toHaveLength(1)
    },
  ))

test('a server that is slow to answer USER behind PBSZ and PROT logs nobody out', () =>
  trial({ files, tls: true }, async ({ client, server, url, events }) => {
    const onEvent = (event: RetrievalEvent): void => {
      if (event.type !== 'received') return
      if (event.octets.startsWith('200 PBSZ')) server.setFaults({ delay: 1000 })
      if (event.octets.startsWith('331')) server.setFaults({})
    }
    for (let file = 0; file < 2; file++) {
      expectSame(await (await client.retrieve(url('pub/data.bin'), { onEvent })).bytes(), octets)
    }
    expect(retries(events).map(({ message }) => message)).toEqual([
      expect.stringContaining('The server was too slow and got the user twice'),
    ])
    // The server was slow, but takes many commands: only the first session sent USER twice.
    expect(dialogues(sent(events), 'PBSZ ')).toHaveLength(2)
  }))
