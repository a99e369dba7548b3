import { RetrievalError } from '@retriever/core'
import { invalidOption } from '@retriever/fetchers/plugin'
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'

/** A Redis Cluster: some of its addresses, and options of ioredis for all of them. */
export interface ClusterConnection extends RedisOptions {
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
}

/**
 * Where Redis is: a URL (`redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`, `rediss` for TLS), options of ioredis, the
 * addresses of a Cluster, or a client of ioredis, Cluster too, which is copied. A node of a Cluster stands for all.
 */
export type QueueConnection = string | RedisOptions | ClusterConnection | Redis | Cluster

/** A client of ioredis. */
export type RedisClient = Redis | Cluster

/** After a lost connection, the client tries again for ever, and at least every so many milliseconds. */
const longestPause = 2000

/** How long the first connection and its first answer may take, in milliseconds. */
const longestConnect = 15_000

/** BullMQ wants commands that wait for a connection for ever. */
const waiting = { maxRetriesPerRequest: null, lazyConnect: true, enableReadyCheck: true } as const

/**
 * Connects. Rejects with `connect-failed`, `certificate` or `auth-failed` if Redis cannot be reached now, and with
 * `invalid-option` if several addresses are no Cluster's. A connection that is lost later is made again, and commands
 * wait for it.
 */
export async function connect(connection: QueueConnection): Promise<RedisClient> {
  if (connection instanceof Cluster) {
    return await open((retry) => connection.duplicate([], { ...clusterOptions(retry), redisOptions: waiting }))
  }
  if (typeof connection === 'object' && 'nodes' in connection) {
    const { nodes, ...each } = connection
    const client = await firstOf(nodes, each)
    const isNode = await isOfCluster(client)
    client.disconnect()
    if (isNode) return await openCluster(nodes, each)
    throw misnamed(client, 'is no node of a Cluster: name it alone in')
  }
  const client = await open((retryStrategy) => clientOf(connection, { ...waiting, retryStrategy }))
  if (!(await isOfCluster(client))) return client
  client.disconnect()
  const { host = '127.0.0.1', port = 6379, db = 0, ...each } = client.options
  if (db > 0) throw misnamed(client, `is of a Cluster, which has no database ${db}: leave it out of`)
  return await openCluster([{ host, port }], each)
}

type RetryStrategy = (tries: number) => number | null

/** Makes a client, and resolves when it has answered. */
async function open<Client extends RedisClient>(make: (retryStrategy: RetryStrategy) => Client): Promise<Client> {
  let isConnected = false
  let last: unknown
  const client = make((tries) => (isConnected ? Math.min(50 * tries, longestPause) : null))
  // Without a listener, ioredis writes errors to stderr.
  client.on('error', (error) => {
    last = error
  })
  try {
    await withinTime(client.connect().then(() => client.ping()))
    isConnected = true
    return client
  } catch (error) {
    client.disconnect()
    throw unreachable(placeOf(client), last ?? error)
  }
}

/** Opens the first address that answers; a Cluster would not say why none does. */
async function firstOf(nodes: ClusterConnection['nodes'], each: RedisOptions): Promise<Redis> {
  let failure: unknown = invalidOption('connection.nodes', 'a list of one address or more', nodes)
  for (const { host, port } of nodes) {
    try {
      return await open((retryStrategy) => new Redis({ ...each, host, port, ...waiting, retryStrategy }))
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

async function isOfCluster(client: Redis): Promise<boolean> {
  return /^cluster_enabled:1/m.test(await client.info('cluster'))
}

function openCluster(nodes: ClusterConnection['nodes'], each: RedisOptions): Promise<Cluster> {
  return open((retry) => new Cluster([...nodes], { ...clusterOptions(retry), redisOptions: { ...each, ...waiting } }))
}

function clusterOptions(clusterRetryStrategy: RetryStrategy): ClusterOptions {
  // Certificates have names: ioredis would connect to their addresses.
  return { lazyConnect: true, clusterRetryStrategy, dnsLookup: (name, callback) => callback(null, name) }
}

function clientOf(connection: string | RedisOptions | Redis, options: RedisOptions): Redis {
  if (connection instanceof Redis) return connection.duplicate(options)
  return typeof connection === 'string' ? new Redis(connection, options) : new Redis({ ...connection, ...options })
}

function misnamed(client: Redis, what: string): RetrievalError {
  return new RetrievalError('invalid-option', `${placeOf(client)} ${what} \`connection\`.`, { phase: 'connect' })
}

function placeOf(client: RedisClient): string {
  if (client instanceof Cluster) return 'The Cluster of Redis'
  const { host = '127.0.0.1', port = 6379 } = client.options
  return `Redis at ${host}:${port}`
}

/** Rejects if what listens there says nothing: it may be another server. */
async function withinTime(connecting: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${longestConnect / 1000} s`)), longestConnect)
  })
  connecting.catch(() => {})
  await Promise.race([connecting, late]).finally(() => clearTimeout(timer))
}

function unreachable(place: string, cause: unknown): RetrievalError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '')
  if (/NOAUTH|WRONGPASS|NOPERM/.test(reason)) {
    const message = `${place} refuses the login: ${reason}. Give its user and password in \`connection\`.`
    return new RetrievalError('auth-failed', message, { phase: 'login', cause })
  }
  if (cause instanceof Error && cause.name === 'ParserError') {
    const message = `${place} does not answer as Redis does: another server is there. Name another address in \`connection\`.`
    return new RetrievalError('protocol-violation', message, { phase: 'connect', cause })
  }
  if (isOfCertificate(cause)) {
    const message = `${place} has no certificate that is trusted: ${reason}. Give its CA in \`connection\`.`
    return new RetrievalError('certificate', message, { phase: 'connect', cause })
  }
  const message = `${place} cannot be reached: ${reason}. Start it, or name another one in \`connection\`.`
  return new RetrievalError('connect-failed', message, { phase: 'connect', transient: true, cause })
}

/** By the codes of Node and OpenSSL: SELF_SIGNED_CERT_IN_CHAIN, ERR_TLS_CERT_ALTNAME_INVALID. */
function isOfCertificate(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(`${cause.code}`)
}
