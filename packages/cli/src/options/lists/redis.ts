import { isIP } from 'node:net'
import { rootCertificates } from 'node:tls'
import { usageError } from '../../exit-codes.ts'
import { readPem } from '../connection/pem.ts'
import { trustOf } from '../connection/trust.ts'
import type { GivenOptions } from '../option.ts'

/** Where Redis is, as its client has it. */
export interface RedisPlace {
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
  readonly db?: number
  readonly tls?: { readonly servername?: string; readonly ca: string[] }
}

const defaultPlace = 'redis://127.0.0.1:6379'

/** Reads where Redis is. Messages never show the address as it was given, which may have a password. */
export function readRedis(
  line: GivenOptions<'redis' | 'redis-cacert'>,
  env: NodeJS.ProcessEnv,
): { readonly place: () => RedisPlace; readonly shownPlace: string } {
  const typed = line.value('redis')
  const url = redisUrl((typed ?? env.RETRIEVE_REDIS) || defaultPlace)
  if (url === null) {
    const source = typed === undefined ? '$RETRIEVE_REDIS' : '--redis'
    throw usageError(
      `${source} needs redis://HOST[:PORT][/DATABASE], rediss for TLS, and a login before the host if there is one.`,
    )
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || 6379)
  const file = line.value('redis-cacert')
  const place = (): RedisPlace => {
    const user = decoded(url.username)
    const password = decoded(url.password)
    return {
      host,
      port,
      ...(user !== '' && { username: user }),
      ...(password !== '' && { password }),
      ...(url.pathname.length > 1 && { db: Number(url.pathname.slice(1)) }),
      ...(url.protocol === 'rediss:' && {
        tls: { ca: trusted(file, env), ...(isIP(host) === 0 && { servername: host }) },
      }),
    }
  }
  return { place, shownPlace: `${url.protocol}//${url.hostname}:${port}` }
}

function redisUrl(text: string): URL | null {
  try {
    const url = new URL(text)
    const isRedis = /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^\/?\d*$/.test(url.pathname)
    decoded(url.username + url.password)
    return isRedis && url.search === '' && url.hash === '' ? url : null
  } catch {
    return null
  }
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
