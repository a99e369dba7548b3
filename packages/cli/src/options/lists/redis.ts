import { isIP } from 'node:net'
import { rootCertificates } from 'node:tls'
import { usageError } from '../../exit-codes.ts'
import { readPem } from '../connection/pem.ts'
import { trustOf } from '../connection/trust.ts'
import type { GivenOptions } from '../option.ts'

/** Where Redis is, as its client has it. */
export type RedisPlace = (Address | { readonly nodes: readonly Address[] }) & {
  readonly username?: string
  readonly password?: string
  readonly db?: number
  readonly tls?: { readonly servername?: string; readonly ca: string[] }
}

interface Address {
  readonly host: string
  readonly port: number
}

const defaultPlace = 'redis://127.0.0.1:6379'

/** Reads where Redis is. Messages never show the address as it was given, which may have a password. */
export function readRedis(
  line: GivenOptions<'redis' | 'redis-cacert'>,
  env: NodeJS.ProcessEnv,
): { readonly place: () => RedisPlace; readonly shownPlace: string } {
  const typed = line.value('redis')
  const source = typed === undefined ? '$RETRIEVE_REDIS' : '--redis'
  const urls = ((typed ?? env.RETRIEVE_REDIS) || defaultPlace)
    .split(/,(?=rediss?:)/)
    .map((text) => redisUrl(text, source))
  const [url, ...others] = urls as [URL, ...URL[]]
  const loginOf = ({ protocol, username, password }: URL): string => `${protocol}//${username}:${password}@`
  const differs = others.some((other) => loginOf(other) !== loginOf(url))
  if (differs)
    throw usageError(`${source} names nodes of a Cluster, which have one login, all with TLS or all without.`)
  if (others.length > 0 && urls.some(hasDatabase))
    throw usageError(`${source} names a Cluster, which has no databases.`)
  const file = line.value('redis-cacert')
  const place = (): RedisPlace => {
    const user = decoded(url.username)
    const password = decoded(url.password)
    const { host, port } = addressOf(url)
    const isOne = others.length === 0
    return {
      ...(isOne ? { host, port } : { nodes: urls.map(addressOf) }),
      ...(user !== '' && { username: user }),
      ...(password !== '' && { password }),
      ...(hasDatabase(url) && { db: Number(url.pathname.slice(1)) }),
      ...(url.protocol === 'rediss:' && {
        tls: { ca: trusted(file, env), ...(isOne && isIP(host) === 0 && { servername: host }) },
      }),
    }
  }
  return {
    place,
    shownPlace: urls.map((each) => `${each.protocol}//${each.hostname}:${addressOf(each).port}`).join(','),
  }
}

function addressOf(url: URL): Address {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 6379) }
}

function hasDatabase({ pathname }: URL): boolean {
  return pathname.length > 1
}

/** Throws `invalid-option`, without the text. */
function redisUrl(text: string, source: string): URL {
  try {
    const url = new URL(text)
    const isRedis = /^rediss?:$/.test(url.protocol) && /^[^,]+$/.test(url.hostname) && /^\/?\d*$/.test(url.pathname)
    decoded(url.username + url.password)
    if (isRedis && url.search === '' && url.hash === '') return url
  } catch {}
  throw usageError(
    `${source} needs redis://HOST[:PORT][/DATABASE], rediss for TLS, and a login before the host if there is one.`,
  )
}

function decoded(text: string): string {
  return decodeURIComponent(text)
}

function trusted(file: string | undefined, env: NodeJS.ProcessEnv): string[] {
  if (file !== undefined) return [readPem('redis-cacert', file, 'certificate')]
  const { ca, extraCa } = trustOf(env)
  return ca === undefined ? [...rootCertificates, ...textOf(extraCa)] : textOf(ca)
}

function textOf(ca: ReturnType<typeof trustOf>['ca']): string[] {
  const given = typeof ca === 'function' ? ca() : ca
  return given === undefined ? [] : [given].flat().map(String)
}
