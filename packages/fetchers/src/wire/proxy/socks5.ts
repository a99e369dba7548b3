import { isIP } from 'node:net'
import type { RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import type { Connection } from '../transport/connection.ts'
import { ipv6Octets } from '../transport/ipv6-octets.ts'

interface Target {
  readonly host: string
  readonly port: number
}

/** Constants of RFC 1928 3. */
const version = 5
const noLogin = 0
const userAndPassword = 2
const noneOfThem = 0xff

/**
 * Asks a SOCKS 5 proxy to connect to the target (RFC 1928, with RFC 1929's user and password). We do not use the
 * library `socks` 2.8: it drops a greeting that comes with the proxy's reply, keeps the password in its errors, and
 * throws out of a socket's callback if user or password have over 255 octets.
 */
export async function connectBySocks(
  context: RetrievalContext,
  proxy: ProxyServer,
  connection: Connection,
  target: Target,
): Promise<void> {
  const dialogue: Dialogue = { context, proxy, connection }
  const methods = proxy.user === null ? [noLogin] : [noLogin, userAndPassword]
  await connection.sendFrame(octets(version, methods.length, ...methods))
  const [, method = noneOfThem] = await answer(dialogue, 2, version)
  if (method === noneOfThem) throw loginWanted(dialogue)
  if (!methods.includes(method)) throw broken(dialogue, `chose login method ${method}, which was not offered`)
  if (method === userAndPassword) await logIn(dialogue, proxy.user ?? '', proxy.password ?? '')
  await connection.sendFrame(octets(version, 1, 0) + addressOf(target.host) + port(target.port))
  await readReply(dialogue, target)
}

interface Dialogue {
  readonly context: RetrievalContext
  readonly proxy: ProxyServer
  readonly connection: Connection
}

/** Sends user and password (RFC 1929 2). */
async function logIn(dialogue: Dialogue, user: string, password: string): Promise<void> {
  await dialogue.connection.sendFrame(octets(1) + counted(user) + counted(password))
  // Some proxies send VER 5 here in place of 1. No other answer looks like that.
  const [, status] = await answer(dialogue, 2, 1, version)
  if (status === 0) return
  const message = `The proxy ${dialogue.proxy.url} refused its user or password; check them.`
  throw dialogue.context.error('auth-failed', message)
}

/** Reads the reply (RFC 1928 6) to the end of BND.PORT; the octet after it is the target's. */
async function readReply(dialogue: Dialogue, target: Target): Promise<void> {
  // A refusal may end after two octets.
  const [, reply = 0] = await answer(dialogue, 2, version)
  if (reply !== 0) throw refused(dialogue, target, reply)
  await one(dialogue)
  const addressType = await one(dialogue)
  const length = addressType === 1 ? 4 : addressType === 4 ? 16 : addressType === 3 ? await one(dialogue) : undefined
  if (length === undefined) throw broken(dialogue, `sent an address of the unknown type ${addressType}`)
  for (let left = length + 2; left > 0; left--) await one(dialogue)
}

/** Reads `length` octets. The first must be one of `versions`, the first of which is the protocol's own. */
async function answer(dialogue: Dialogue, length: number, ...versions: readonly number[]): Promise<readonly number[]> {
  const first = await one(dialogue)
  if (!versions.includes(first)) {
    throw broken(dialogue, `answered with the octet ${first} where a ${versions[0]} belongs`)
  }
  const all = [first]
  while (all.length < length) all.push(await one(dialogue))
  return all
}

async function one({ context, proxy, connection }: Dialogue): Promise<number> {
  const octet = await connection.readOctet('connect')
  if (octet !== null) return octet
  const message = `The proxy ${proxy.url} closed the connection without an answer. Check that it speaks SOCKS 5 and may serve you.`
  throw context.error('receive-failed', message)
}

/** The meaning of each reply code from 1 on (RFC 1928 6), and what to do. */
const reasons: readonly string[] = [
  'it failed without a reason. Check the host, or try again',
  'its rules forbid it. Ask its operator',
  'it has no route to that network. Try another proxy',
  'it cannot reach that host, or does not know the name. Check the host',
  'the connection was refused; nothing listens there. Check host and port',
  'the host is too far away (TTL expired). Try again later',
  'it does not support CONNECT. Try another proxy',
  'it does not know that type of address. With socks5h:// it looks up the name itself',
]

function refused({ context, proxy }: Dialogue, { host, port }: Target, reply: number): RetrievalError {
  const why = reasons[reply - 1] ?? 'it gave an unknown reason'
  const where = host.includes(':') ? `${host} port ${port}` : `${host}:${port}`
  return context.error(
    'connect-failed',
    `The proxy ${proxy.url} did not connect to ${where}: ${why} (SOCKS reply ${reply}).`,
  )
}

function loginWanted({ context, proxy }: Dialogue): RetrievalError {
  if (proxy.user !== null) {
    return context.error('auth-failed', `The proxy ${proxy.url} takes no user and password; use one that does.`)
  }
  const advice = { option: 'proxy', value: proxy.url.replace('//', '//USER:***@') } as const
  return context.error('auth-required', `The proxy ${proxy.url} wants a login; give ${adviceText(advice)}.`, { advice })
}

function broken({ context, proxy }: Dialogue, what: string): RetrievalError {
  const message = `The proxy ${proxy.url} ${what}; it does not speak SOCKS 5. Check its protocol and port.`
  return context.error('protocol-violation', message)
}

/**
 * Encodes ATYP and DST.ADDR without the zone of an IPv6 address, which means nothing on another machine (RFC 6874 1).
 */
function addressOf(host: string): string {
  const [address = ''] = host.split('%', 1)
  if (isIP(address) === 4) return octets(1, ...address.split('.').map(Number))
  if (isIP(address) === 6) return octets(4, ...ipv6Octets(address))
  return octets(3) + counted(host)
}

function port(number: number): string {
  return octets(number >> 8, number & 255)
}

/**
 * Puts the length before the text. The text has at most 255 octets: user and password were checked earlier, and names
 * have at most 253.
 */
function counted(text: string): string {
  return octets(text.length) + text
}

function octets(...values: readonly number[]): string {
  return String.fromCharCode(...values)
}
