/** The port for the next file, asked for behind RETR: never at the cost of a file. */
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { retries } from '../../../support/events.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { dialogues, files, scriptedTrial, trial } from '../support/ftp-trial.ts'
import { type FtpPeer, type Script, sending } from '../support/scripted-ftp.ts'

const text = 'Hello, world.\n'
const known: Script = { SIZE: '213 14\r\n', MDTM: '213 20010203040506\r\n' }

/** Whether the port of each connection was asked for behind a RETR. */
function portsOf() {
  const afterRetr = new WeakMap<FtpPeer, boolean>()
  const isAhead = new WeakMap<FtpPeer, boolean>()
  return {
    isAhead: (peer: FtpPeer) => isAhead.get(peer) === true,
    retr: (peer: FtpPeer) => void afterRetr.set(peer, true),
    SIZE(peer: FtpPeer) {
      afterRetr.set(peer, false)
      peer.say('213 14\r\n')
    },
    asked: (peer: FtpPeer) => {
      isAhead.set(peer, afterRetr.get(peer) === true)
      afterRetr.set(peer, false)
    },
  }
}

/** A server that ties a passive port to the transfer before which it was asked for, and refuses any other so. */
function tying(refusal: string): Script {
  const ports = portsOf()
  return {
    ...known,
    SIZE: ports.SIZE,
    EPSV(peer) {
      ports.asked(peer)
      peer.say(`229 passive (|||${peer.dataPort}|)\r\n`)
    },
    async RETR(peer) {
      const isStale = ports.isAhead(peer)
      ports.retr(peer)
      if (!isStale) return sending(text)(peer)
      // Its connection is of no use any more.
      const data = await peer.data()
      data.destroy()
      peer.say(refusal)
    },
  }
}

describe('a server that ties a passive port to the next transfer gives every file', () => {
  test.each(['425 no', '426 closed', '450 busy', '503 in progress', '550 no', '551 No connector setup'])(
    'and refuses others by %s',
    (refusal) =>
      scriptedTrial(tying(`${refusal}\r\n`), async ({ get, server, events }) => {
        for (let file = 0; file < 5; file++) expect((await get('hello.txt')).toString()).toBe(text)
        expect(dialogues(server.received)).toHaveLength(1)
        expect(retries(events)).toEqual([])
        // One refusal is enough to know it.
        expect(server.received.filter((line) => line.startsWith('RETR'))).toHaveLength(6)
        expect(server.received.filter((line) => line === 'PASV')).toEqual([])
      }),
  )
})

test('a file that is missing is asked for once where such ports have served', () => {
  let isMissing = false
  const RETR = async (peer: FtpPeer) => {
    if (!isMissing) return sending(text)(peer)
    const data = await peer.data()
    data.destroy()
    peer.say('550 no such file\r\n')
  }
  const script: Script = { ...known, RETR, CWD: '550 no\r\n' }
  return scriptedTrial(script, async ({ get, failure, server }) => {
    for (let file = 0; file < 3; file++) await get('hello.txt')
    isMissing = true
    const before = server.received.length
    expect(await failure('hello.txt')).toMatchObject({ code: 'not-found' })
    // Ports that were asked for ahead have served: the refusal is about the file.
    expect(server.received.slice(before).filter((line) => line.startsWith('RETR'))).toHaveLength(1)
    isMissing = false
    await get('hello.txt')
    expect(server.segments.filter((segment) => /RETR.*EPSV/s.test(segment)).length).toBeGreaterThan(2)
  })
})

describe('a server that takes no command during a transfer (dCache) gives every file', () => {
  /** Says 503 to the EPSV behind RETR before the transfer is over. */
  const refusing = (replies: readonly string[]): Script => {
    let answered = 0
    return {
      ...known,
      async RETR(peer) {
        const data = await peer.data()
        peer.say('150 here it comes\r\n')
        if (received().at(-1) === 'EPSV') {
          answered++
          for (const reply of replies) peer.say(reply)
        }
        await new Promise<void>((resolve) => data.end(text, resolve))
        peer.say('226 done\r\n')
      },
      EPSV(peer) {
        if (answered > 0) answered--
        else peer.say(`229 passive (|||${peer.dataPort}|)\r\n`)
      },
    }
  }
  let received: () => readonly string[] = () => []

  test.each(['503 Transfer in progress', '500 what?', '421-busy\r\n421 not now'])('by %s', (reply) =>
    scriptedTrial(refusing([`${reply}\r\n`]), async ({ get, server }) => {
      received = () => server.received
      for (let file = 0; file < 4; file++) expect((await get('hello.txt')).toString()).toBe(text)
      expect(server.received.filter((line) => line.startsWith('RETR'))).toHaveLength(4)
      expect(dialogues(server.received)).toHaveLength(1)
    }),
  )
})

test('a port that is closed by the time it is used costs a session, not the file, and not EPSV', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  const ports = portsOf()
  const script: Script = {
    ...known,
    SIZE: ports.SIZE,
    EPSV(peer) {
      ports.asked(peer)
      peer.say(`229 passive (|||${ports.isAhead(peer) ? port : peer.dataPort}|)\r\n`)
    },
    RETR(peer) {
      const isStale = ports.isAhead(peer)
      ports.retr(peer)
      return isStale ? undefined : sending(text)(peer)
    },
  }
  await scriptedTrial(script, async ({ get, server }) => {
    for (let file = 0; file < 5; file++) expect((await get('hello.txt')).toString()).toBe(text)
    expect(dialogues(server.received)).toHaveLength(2)
    expect(server.received.filter((line) => line === 'PASV')).toEqual([])
  })
})

test('a server that drops the transfer for the EPSV behind it gives every file, and that is no further try', () =>
  trial(
    { files, faults: { dropOnEpsv: true } },
    async ({ get, events }) => {
      for (let file = 0; file < 5; file++) expectSame(await get('pub/data.bin'), octets)
      expect(events.filter(({ type }) => type === 'retried')).toMatchObject([{ delay: 0 }])
    },
    { limits: { maxRetries: 0 } },
  ))
