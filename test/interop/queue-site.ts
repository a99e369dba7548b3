/** Hosts of 127.0.0.0/8 with one server, which counts what each of them is asked. */
import { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** What one host saw. */
export interface SeenHost {
  /** The most requests at a time. */
  most: number
  now: number
  /** When requests came, by performance.now(). */
  readonly times: number[]
}

export interface QueueSite {
  readonly hosts: readonly string[]
  /** Of each host that was asked. */
  readonly seen: Map<string, SeenHost>
  /** How often each URL was asked for. */
  readonly asked: Map<string, number>
  /** Emits `request` when one has come; its answer comes later. */
  readonly arrivals: EventEmitter<{ request: [IncomingMessage] }>
  url(host: number, path: string): string
  close(): Promise<void>
}

/** The body of each URL without an answer of its own. */
export function bodyOf(url: string): string {
  return `${url}\n`.repeat(1 + (url.length % 7))
}

/** `answer`: for hosts that are not ordinary; undefined: this one is. `delay`: milliseconds before each answer. */
export async function queueSite(
  count: number,
  { delay = 0, answer }: { delay?: number; answer?: (host: number) => RequestListener | undefined } = {},
): Promise<QueueSite> {
  const hosts = Array.from({ length: count }, (_, at) => `127.1.${at >> 8}.${at & 255}`)
  const seen = new Map<string, SeenHost>()
  const asked = new Map<string, number>()
  const arrivals = new EventEmitter<{ request: [IncomingMessage] }>()
  const servers: Server[] = []
  let port = 0
  for (const [at, host] of hosts.entries()) {
    const own = answer?.(at)
    const server = createServer((request, response) => {
      const url = `http://${host}:${port}${request.url}`
      const counted: SeenHost = seen.get(host) ?? { most: 0, now: 0, times: [] }
      seen.set(host, counted)
      counted.most = Math.max(counted.most, ++counted.now)
      counted.times.push(performance.now())
      asked.set(url, (asked.get(url) ?? 0) + 1)
      response.once('close', () => counted.now--)
      arrivals.emit('request', request)
      if (own !== undefined) own(request, response)
      else if (delay === 0) response.end(bodyOf(url))
      else void setTimeout(delay).then(() => response.end(bodyOf(url)))
    })
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
    port = (server.address() as AddressInfo).port
    servers.push(server)
  }
  return {
    hosts,
    seen,
    asked,
    arrivals,
    url: (host, path) => `http://${hosts[host]}:${port}${path}`,
    close: async () => {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}
