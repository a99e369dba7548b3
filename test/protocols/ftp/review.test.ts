/** Ends of retrievals at unlucky moments, and what they leave behind. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClientOptions, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { type Faults, type FtpServerOptions, startFtpServer, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { remarks, retries } from '../../support/events.ts'
import { failure as failureOf } from '../../support/failure.ts'
import { ftpMetadata } from '../../support/metadata.ts'
import { expectSame, octets } from '../../support/octets.ts'
import { stride } from '../../support/runs.ts'
import { explicitTls, files, scriptedTrial, type Trial, trial } from './support/ftp-trial.ts'
import { type Script, sending } from './support/scripted-ftp.ts'

/** One place: what is not given back is missed. */
const onePlace: ClientOptions = { fetchers: [ftpFetcher({ connections: 1 })], limits: { maxRetryDelay: 1 } }

interface Case {
  readonly tls?: boolean
  /** The server is known, a session is idle, and the next port has been asked for. */
  readonly isWarm?: boolean
  readonly path?: string
  readonly request?: RetrieveOptions
  readonly faults?: Faults
}

/**
 * An event's type comes by socket callbacks, or in the middle of our own code: there, nobody waits for anything yet.
 */
describe('R40: an abort while an event is told', () => {
  const cases: readonly (readonly [string, Case])[] = [
    ['a first retrieval', {}],
    ['a first retrieval in TLS', { tls: true }],
    ['a first listing', { path: 'pub/' }],
    ['step by step', { faults: { oneAtATime: 'close' } }],
    ['a later retrieval', { isWarm: true }],
    ['a range', { isWarm: true, request: { range: [5, 50] } }],
    ['a directory without /', { isWarm: true, path: 'pub' }],
    ['a missing file', { isWarm: true, path: 'pub/none' }],
    ['PASV after 425', { isWarm: true, faults: { replies: { RETR: ['425 no\r\n'] } } }],
    ['REST refused', { isWarm: true, request: { resumeFrom: 500 }, faults: { replies: { REST: '502 no\r\n' } } }],
    ['a body that breaks off, with 426', { isWarm: true, faults: { cutAfter: 6000, bodies: 1 } }],
    ['a body that breaks off, in TLS', { isWarm: true, tls: true, faults: { crashAfter: 6000, bodies: 1 } }],
  ]

  // Vitest itself fails where a rejection is met by nobody.
  test.each(cases)('%s: the error is that, and the next retrieval goes on', async (_, what) => {
    let tries = 0
    while (await abortedAt(tries, what)) tries += stride
    expect(tries).toBeGreaterThan(5)
  })
})

/** Whether there was an event of that number. */
async function abortedAt(
  at: number,
  { tls, isWarm, path = 'pub/data.bin', request, faults = {} }: Case,
): Promise<boolean> {
  const options: FtpServerOptions = { files, ...(tls === true && { tls: 'explicit' }) }
  await using server = await startFtpServer(options)
  const controller = new AbortController()
  let count = Number.NEGATIVE_INFINITY
  await using client = createClient({
    ...onePlace,
    ...(tls === true && { tls: { ca: testCa }, schemes: [explicitTls] }),
    onEvent: ({ type }) => {
      // After these two there is nothing to abort, or no need.
      if (type !== 'done' && type !== 'progress' && count++ === at) controller.abort()
    },
  })
  const root = tls === true ? server.url.replace('ftp:', 'ftpes:') : server.url
  const get = async (name: string, how?: RetrieveOptions): Promise<Uint8Array> =>
    (await client.retrieve(`${root}${name}`, how)).bytes()
  for (let times = 0; isWarm === true && times < 2; times++) await get('pub/data.bin')

  server.setFaults(faults)
  count = 0
  const code = await get(path, { ...request, signal: controller.signal }).then(
    () => null,
    (error: { code: string }) => error.code,
  )
  const { aborted } = controller.signal
  // The last reply may be told when all has come.
  if (aborted && code !== null) expect(code).toBe('aborted')
  count = Number.NEGATIVE_INFINITY
  server.setFaults({})
  expectSame(await get('pub/data.bin'), octets)
  return aborted
}

test('a turn that comes to one who gives up in the same moment goes to the next', () =>
  trial(
    { files },
    async ({ retrieve, get, failure, events }) => {
      const first = await retrieve('pub/data.bin')
      const controller = new AbortController()
      const second = failure('pub/data.bin', { signal: controller.signal })
      const third = get('pub/data.bin')
      // Both wait for a place as soon as their URLs are resolved, and a fetcher is found.
      await expect.poll(() => events.filter(({ type }) => type === 'resolved').length).toBe(3)
      await new Promise((done) => setImmediate(done))
      void first.cancel()
      controller.abort()
      expect(await second).toMatchObject({ code: 'aborted' })
      expectSame(await third, octets)
    },
    onePlace,
  ))

test('a port of EPSV that is dead once, of a server without PASV, does not stop later retrievals', () => {
  let asked = 0
  return scriptedTrial(
    {
      EPSV: (peer) => peer.say(`229 passive (|||${asked++ === 0 ? 1025 : peer.dataPort}|)\r\n`),
      // As over IPv6.
      PASV: '522 use EPSV\r\n',
    },
    async ({ get, failure }) => {
      expect(await failure('hello.txt')).toMatchObject({ code: 'server-refused', reply: '522 use EPSV' })
      expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
    },
  )
})

describe('a server that repeats the password where no refusal is', () => {
  const echo = "'PASS sesame': not understood\r\n"
  const hello = 'Hello, world.\n'

  test.each<[string, Script]>([
    ['no port by PASV', { EPSV: '502 no\r\n', PASV: `227 ${echo}` }],
    ['a port that is not dialled', { EPSV: `229 (|||80|) ${echo}` }],
    ['a transfer that ends before it begins', { RETR: `226 ${echo}` }],
    ['a reply that does not fit', { TYPE: `331 ${echo}` }],
  ])('%s: it is in no error', (_, script) =>
    scriptedTrial(script, async ({ failure, url, events }) => {
      const { code, message, reply } = await failure(url('hello.txt', 'ann:sesame'))
      expect(code).toBe('protocol-violation')
      expect(`${message} ${reply} ${JSON.stringify(events)}`).not.toContain('sesame')
      expect(reply).toContain('PASS <password>')
    }),
  )

  test('nor in the metadata', () =>
    scriptedTrial({ RETR: sending(hello, `150 ${echo}`) }, async ({ retrieve, url }) => {
      const representation = await retrieve(url('hello.txt', 'ann:sesame'))
      expect(await representation.text()).toBe(hello)
      expect(ftpMetadata(representation).reply).toBe("150 'PASS <password>': not understood")
    }))
})

test('a server that throws away what comes during a transfer is asked for no port there again', () => {
  let transfers = 0
  return scriptedTrial(
    {
      SIZE: '213 14\r\n',
      MDTM: '213 20010203040506\r\n',
      RETR: async (peer) => {
        transfers++
        await sending('Hello, world.\n')(peer)
      },
      // Behind the second RETR.
      EPSV: (peer) => {
        if (peer.index > 0 || transfers < 2) peer.say(`229 passive (|||${peer.dataPort}|)\r\n`)
      },
    },
    async ({ get, server, events }) => {
      for (let times = 0; times < 5; times++) expect((await get('hello.txt')).toString()).toBe('Hello, world.\n')
      expect(retries(events).map(({ code }) => code)).toEqual(['receive-failed'])
      expect(server.peers).toHaveLength(2)
      expect(server.received.slice(-3)).toEqual(['MDTM hello.txt', 'EPSV', 'RETR hello.txt'])
    },
    { limits: { idleTimeout: 400 } },
  )
})

test('octets that turn out to come from elsewhere do not stay in the file that is continued', async () => {
  // More than comes in one chunk.
  const big = Buffer.concat(Array.from({ length: 200 }, () => octets))
  const come = big.subarray(0, big.length / 2)
  await trial({ files: { '/big.bin': big }, faults: { ignoreRestart: true } }, async ({ retrieve }) => {
    const directory = await mkdtemp(join(tmpdir(), 'retriever-'))
    try {
      const path = join(directory, 'big.bin')
      await writeFile(path, come)
      const rest = await retrieve('big.bin', { resumeFrom: come.length })
      expect(await failureOf(rest.saveTo(path, { append: true }))).toMatchObject({ code: 'range-refused' })
      expectSame(await readFile(path), come)
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})

test('who needs an account is let in while another, who needs none, is served', () => {
  let asked = 0
  let annComes = (): void => {}
  const annIsBack = new Promise<void>((resolve) => {
    annComes = resolve
  })
  let guestGoes = (): void => {}
  const guestIsReady = new Promise<void>((resolve) => {
    guestGoes = resolve
  })
  const script: Script = {
    USER: async (peer, line) => {
      if (line === 'USER ann' && ++asked === 2) {
        annComes()
        await guestIsReady
      }
      peer.say('331 password\r\n')
    },
    PASS: (peer, line) => peer.say(line === 'PASS sesame' ? '332 account\r\n' : '230 in\r\n'),
    ACCT: '230 in\r\n',
    EPSV: async (peer) => {
      if (peer.index === 0) await annIsBack
      peer.say(`229 passive (|||${peer.dataPort}|)\r\n`)
    },
    RETR: async (peer) => {
      guestGoes()
      await sending('Hello, world.\n')(peer)
    },
  }
  return scriptedTrial(
    script,
    async ({ get, url, server }) => {
      const guest = get('hello.txt')
      await expect.poll(() => server.received.includes('EPSV')).toBe(true)
      expect((await get(url('hello.txt', 'ann:sesame'))).toString()).toBe('Hello, world.\n')
      expect((await guest).toString()).toBe('Hello, world.\n')
    },
    { credentials: () => ({ user: 'ann', password: 'sesame', account: 'a' }) },
  )
})

test('what is said of a transfer that ends badly is true, and has the server speak for itself', async () => {
  // Without SIZE it is not taken up.
  const broken: FtpServerOptions = { files, faults: { cutAfter: 6000, replies: { SIZE: '502 no\r\n' } } }
  await trial(broken, async ({ failure }) => {
    const { message } = await failure('pub/data.bin')
    expect(message).toContain('broke off the transfer ("426 Connection closed; transfer aborted."). 6000 octets')
  })
  const silent: FtpServerOptions = { files, faults: { stall: 'final' } }
  const use = async ({ get, events }: Trial): Promise<void> => {
    expectSame(await get('pub/data.bin'), octets)
    expect(remarks(events)).toEqual([
      `The server has not confirmed the transfer; all ${octets.length} octets have come.`,
    ])
  }
  await trial(silent, use, { limits: { idleTimeout: 400 } })
})
