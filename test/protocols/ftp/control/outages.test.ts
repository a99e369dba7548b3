/** Temporary trouble: refusals by 4yz, servers that allow few sessions, and servers that are down for a moment. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { retries } from '../../../support/events.ts'
import { dialogues, scriptedTrial } from '../support/ftp-trial.ts'
import { type FtpPeer, type Script, sending } from '../support/scripted-ftp.ts'

const text = 'Hello, world.\n'

/** The first answers, and then another. */
function firstly(answers: readonly string[], then: (peer: FtpPeer) => void | Promise<void>) {
  const left = [...answers]
  return (peer: FtpPeer): void | Promise<void> => {
    const answer = left.shift()
    return answer === undefined ? then(peer) : peer.say(answer)
  }
}

describe('what a server refuses by 4yz is asked for again', () => {
  const good = (reply: string) => (peer: FtpPeer) => peer.say(reply)
  test.each<[string, Script]>([
    ['450 to RETR', { RETR: firstly(['450 busy\r\n', '450 busy\r\n'], sending(text)) }],
    ['421 to RETR', { RETR: firstly(['421 later\r\n', '421 later\r\n'], sending(text)) }],
    ['421 at the greeting', { greeting: firstly(['421 later\r\n', '421 later\r\n'], good('220 ready\r\n')) }],
    ['450 to CWD', { CWD: firstly(['450 later\r\n', '450 later\r\n'], good('250 there\r\n')) }],
    ['421 to USER', { USER: firstly(['421 later\r\n', '421 later\r\n'], good('331 password\r\n')) }],
  ])('%s', (_, script) =>
    scriptedTrial(script, async ({ get, events }) => {
      expect((await get('pub/hello.txt')).toString()).toBe(text)
      expect(retries(events).map(({ transient }) => transient)).toEqual([true, true])
    }),
  )

  test('a session that the server closes without a word, too', () =>
    scriptedTrial(
      { greeting: (peer) => void (peer.index < 2 ? peer.control.end() : peer.say('220 ready\r\n')) },
      async ({ get, server }) => {
        expect((await get('hello.txt')).toString()).toBe(text)
        expect(server.peers).toHaveLength(3)
      },
    ))

  test('up to limits.maxRetries times; what 5yz refuses is not', async () => {
    for (const [reply, tries] of [
      ['450 busy', 3],
      ['553 no', 1],
    ] as const) {
      await scriptedTrial(
        { RETR: `${reply}\r\n` },
        async ({ failure, server }) => {
          const error = await failure('hello.txt')
          expect(error).toMatchObject({ reply })
          expect(error.message.includes('tried 3 times')).toBe(tries === 3)
          expect(server.received.filter((line) => line.startsWith('RETR'))).toHaveLength(tries)
        },
        { limits: { maxRetries: 2 } },
      )
    }
  })
})

describe('a server that allows two sessions gives all of twelve files', () => {
  /** Refuses while so many others are open. */
  const allowing = (most: number, refuse: (peer: FtpPeer) => void): ((peer: FtpPeer) => boolean) => {
    const open = new Set<FtpPeer>()
    return (peer) => {
      if (open.size >= most) {
        refuse(peer)
        return false
      }
      open.add(peer)
      peer.control.once('close', () => open.delete(peer))
      return true
    }
  }
  const atGreeting = allowing(2, (peer) => {
    peer.say('421 There are too many connections from your internet address.\r\n')
    peer.control.end()
  })
  const atLogin = allowing(2, (peer) => peer.say('530 Sorry, the maximum number of clients (2) is connected.\r\n'))

  /** Each session has ports of its own. */
  const apart = (): Script => {
    const arrivals = new Map<FtpPeer, Promise<Socket>>()
    return {
      async EPSV(peer) {
        const server = createServer()
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        peer.control.once('close', () => server.close())
        const arrival = new Promise<Socket>((resolve) => server.once('connection', resolve))
        arrivals.set(peer, arrival)
        void arrival.then((socket) => socket.on('error', () => {}))
        peer.say(`229 passive (|||${(server.address() as AddressInfo).port}|)\r\n`)
      },
      async RETR(peer) {
        const data = await arrivals.get(peer)
        peer.say('150 here it comes\r\n')
        await new Promise<void>((resolve) => data?.end(text, resolve))
        peer.say('226 done\r\n')
      },
    }
  }

  test.each<[string, Script]>([
    ['421 at the greeting', { greeting: (peer) => void (atGreeting(peer) && peer.say('220 ready\r\n')) }],
    ['530 to PASS', { PASS: (peer) => void (atLogin(peer) && peer.say('230 in\r\n')) }],
  ])('%s', (_, script) => {
    return scriptedTrial(
      { ...apart(), ...script },
      async ({ client, url, server }) => {
        let count = 0
        for await (const { representation, error } of client.retrieveAll(Array(12).fill(url('hello.txt')))) {
          expect(error).toBe(null)
          expect(await representation?.text()).toBe(text)
          count++
        }
        expect(count).toBe(12)
        // Two that serve, and two that were refused, once.
        expect(server.peers.length).toBeLessThanOrEqual(4)
      },
      { limits: { maxRetries: 0 } },
    )
  })
})

test('a server that is down for a moment during a body is waited for', async () => {
  const big = Buffer.alloc(400_000, 'piece\n')
  let control = ''
  const script: Script = {
    SIZE: `213 ${big.length}\r\n`,
    MDTM: '213 20010203040506\r\n',
    REST: '350 go on\r\n',
    async RETR(peer) {
      const data = await peer.data()
      peer.say('150 here it comes\r\n')
      data.write(big.subarray(0, 100_000))
      control = `${(peer.control.address() as AddressInfo).port}`
      peer.control.destroy()
      data.end()
    },
  }
  await scriptedTrial(
    script,
    async ({ retrieve, server }) => {
      const representation = await retrieve('big')
      await server[Symbol.asyncDispose]()
      const refused = createServer((socket) => socket.destroy())
      await new Promise<void>((resolve) => refused.listen(Number(control), '127.0.0.1', resolve))
      await new Promise((resolve) => refused.close(resolve))
      const error = await representation.bytes().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'partial', message: expect.stringContaining('tried 4 times') })
      expect(dialogues(server.received)).toHaveLength(1)
    },
    { limits: { maxRetries: 3 } },
  )
})
