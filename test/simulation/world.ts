import type { Limits } from '@retriever/fetchers'
import type { Random } from '../fuzz/random.ts'
import type { Network } from './network.ts'
import { type FtpSite, ftpServer } from './servers/ftp.ts'
import { type HttpSite, httpServer } from './servers/http.ts'
import { imapServer } from './servers/imap.ts'
import { nntpServer } from './servers/nntp.ts'

/** A URL that is asked for, and what must come of it where nothing goes wrong. */
export interface Asked {
  readonly url: string
  /** The octets of the body, the names of a listing, or the code of an error. */
  readonly body: string | null
  readonly names: readonly string[] | null
  readonly code: string | null
  /** What is done with the body: read at once, read with pauses, or left after its first chunk. */
  readonly use: 'whole' | 'slow' | 'left'
  /** When it is asked for. */
  readonly start: number
}

const protocols = ['ftp', 'http', 'nntp', 'imap'] as const
type Protocol = (typeof protocols)[number]

/** Two hosts with servers of all protocols, and the URLs that a client asks them for. */
export interface World {
  readonly protocol: Protocol | 'batch'
  readonly bodies: Readonly<Record<Host, readonly string[]>>
  readonly ftp: Omit<FtpSite, 'host' | 'bodies'>
  readonly http: Pick<HttpSite, 'framing' | 'etag' | 'ranges'>
  readonly wantsLogin: boolean
  readonly asked: readonly Asked[]
  /** Options of the client. */
  readonly options: {
    readonly concurrency: number
    readonly perHost: number
    readonly giveUpHosts: boolean
    readonly limits: Partial<Limits>
  }
}

const hosts = ['a.invalid', 'b.invalid'] as const
type Host = (typeof hosts)[number]

/** The password of each host, which no other one may get. */
const secrets: Readonly<Record<Host, string>> = { 'a.invalid': 'secret-of-a', 'b.invalid': 'secret-of-b' }

const forms = hosts.map((host) => ({ host, texts: [secrets[host], btoa(`user:${secrets[host]}`)] }))

/** The host whose password is in these octets; null: there is none. The password of `own` may be there. */
export function secretIn(octets: string, own?: string): Host | null {
  const found = forms.find(({ host, texts }) => host !== own && texts.some((text) => octets.includes(text)))
  return found?.host ?? null
}

export function drawWorld(random: Random): World {
  const protocol = random.pick([...protocols, ...protocols, 'batch' as const])
  const bodies = { 'a.invalid': drawBodies(random), 'b.invalid': drawBodies(random) }
  const http = {
    framing: random.pick(['length', 'length', 'chunked', 'close'] as const),
    etag: random.pick(['"v1"', '"v1"', null]),
    ranges: random.chance(70),
  }
  const count = protocol === 'batch' ? 3 + random.below(4) : 1 + random.below(2)
  const isOneHost = random.chance(60)
  const asked = Array.from({ length: count }, () =>
    drawAsked(random, protocol === 'batch' ? random.pick(protocols) : protocol, isOneHost, bodies),
  )
  return {
    protocol,
    bodies,
    http,
    ftp: {
      epsv: random.chance(70),
      size: random.chance(80),
      rest: random.chance(70),
      afterCut: random.pick(['426 broken', '426 broken', null]),
    },
    wantsLogin: random.chance(50),
    asked,
    options: {
      concurrency: 1 + random.below(6),
      perHost: 1 + random.below(3),
      giveUpHosts: random.chance(50),
      limits: {
        connectTimeout: 3000,
        idleTimeout: 5000,
        maxRetries: random.pick([0, 1, 3, 3]),
        ...(random.chance(20) && { totalTimeout: 20_000 }),
      },
    },
  }
}

/** Messages of some lines, so that a cut or a shift of them is never another whole one. */
function drawBodies(random: Random): string[] {
  return Array.from({ length: 3 }, (_, number) => {
    const line = (): string =>
      random.pick(['.', '..', '.x', '', 'A1 OK', '226 done', '0', '\xff', String(random.below(1e9)), 'y'.repeat(30)])
    const lines = random.several(random.pick([1, 4, 8]), () => `${line()}\r\n`)
    return `Subject: ${number}-${random.below(1e6)}\r\n\r\n${lines}`
  })
}

function drawAsked(random: Random, protocol: Protocol, isOneHost: boolean, bodies: World['bodies']): Asked {
  const host = isOneHost ? hosts[0] : random.pick(hosts)
  const number = random.below(3)
  const body = bodies[host][number] ?? null
  const place = `//user:${secrets[host]}@${host}`
  const found = { body, names: null, code: null }
  const ways: Readonly<Record<Protocol, readonly (readonly [string, Pick<Asked, 'body' | 'names' | 'code'>])[]>> = {
    ftp: [
      [`${place}/${number}`, found],
      [`${place}/d/${number}`, found],
      [`${place}/d/`, { body: null, names: ['0', '1', '2'], code: null }],
      [`${place}/9`, { body: null, names: null, code: 'not-found' }],
    ],
    http: [
      [`${place}/${number}`, found],
      [`${place}/busy/${number}`, found],
      [`${place}/9`, { body: null, names: null, code: 'not-found' }],
      // Only the second host needs no login.
      [
        `//user:${secrets['a.invalid']}@a.invalid/moved/${number}`,
        { ...found, body: bodies['b.invalid'][number] ?? null },
      ],
    ],
    nntp: [
      [`${place}/g/${number + 1}`, found],
      [`${place}/g/9`, { body: null, names: null, code: 'not-found' }],
    ],
    imap: [
      [`${place}/INBOX/;UID=${number + 1}`, found],
      [`${place}/INBOX/;UID=9`, { body: null, names: null, code: 'not-found' }],
    ],
  }
  const [first] = ways[protocol]
  const [rest, expected] = random.pick([...(first === undefined ? [] : [first]), ...ways[protocol]])
  const use = random.pick(['whole', 'whole', 'slow', 'left'] as const)
  return { url: `${protocol}:${rest}`, ...expected, use, start: random.pick([0, 0, 1, 30]) }
}

/** Starts the servers of a world. */
export function startServers({ bodies, ftp, http, wantsLogin }: World, network: Network): void {
  for (const host of hosts) {
    const login = wantsLogin && host === 'a.invalid' ? `user:${secrets[host]}` : null
    network.servers.set(`${host}:21`, ftpServer(network, { ...ftp, host, bodies: bodies[host] }))
    network.servers.set(`${host}:80`, httpServer({ ...http, bodies: bodies[host], other: 'b.invalid', login }))
    network.servers.set(`${host}:119`, nntpServer({ bodies: bodies[host], wantsLogin }))
    network.servers.set(`${host}:143`, imapServer(bodies[host]))
  }
}
