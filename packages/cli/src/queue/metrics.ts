import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Queue, QueueProgress, WorkOutcome } from '@retriever/queue'
import { usageError } from '../exit-codes.ts'
import type { QueueSettings } from '../options/lists/queue.ts'

/** How long a look at Redis may take before the figures of the worker come alone, in milliseconds. */
const longest = 2000

/** The Host of a request to this machine itself. */
const loopbackHost = /^(127(\.\d{1,3}){3}|localhost)(:\d+)?$/i

type Counts = Readonly<Record<WorkOutcome['state'], number>>

/** Serves /metrics on loopback, in the text format 0.0.4 of Prometheus. Throws `invalid-option` for a port in use. */
export async function serveMetrics(
  queue: Pick<Queue, 'progress'>,
  { name, metrics }: Pick<QueueSettings, 'name' | 'metrics'>,
  counts: Counts,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    // A web page may have a name that leads to 127.0.0.1.
    if (!loopbackHost.test(request.headers.host ?? 'localhost')) return void response.writeHead(421).end()
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end()
    void answer(response, queue, name, counts)
  })
  server.listen(metrics ?? 0, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw usageError(`Port ${metrics} is in use; --metrics 0 takes a free one.`)
    throw usageError(`--metrics ${metrics} cannot be used (${code}); give a port above 1023.`)
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/metrics`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function answer(
  response: ServerResponse,
  queue: Pick<Queue, 'progress'>,
  name: string,
  counts: Counts,
): Promise<void> {
  const stop = new AbortController()
  const late = setTimeout(longest, null, { signal: stop.signal })
  const progress = await Promise.race([queue.progress(), late]).catch(() => null)
  stop.abort()
  late.catch(() => {})
  response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  response.end(metricsText(name, progress, counts))
}

/** The figures. `progress` is null if Redis does not answer. */
function metricsText(name: string, progress: QueueProgress | null, counts: Counts): string {
  const queue = `queue="${name}"`
  const worker = family('retriever_worker_outcomes_total', 'counter', 'Outcomes of URLs at this worker.', counts, queue)
  const up = family('retriever_queue_up', 'gauge', 'Whether Redis answers.', { '': progress === null ? 0 : 1 }, queue)
  if (progress === null) return worker + up
  const { done, failed, cancelled, left, again, hosts, turns, workers, isPaused } = progress
  return [
    worker,
    up,
    family('retriever_queue_urls', 'gauge', 'URLs of the queue.', { done, failed, cancelled, left }, queue),
    family('retriever_queue_again_total', 'counter', 'URLs put back to be tried again.', { '': again }, queue),
    family('retriever_queue_hosts', 'gauge', 'Hosts that have URLs left.', { '': hosts }, queue),
    family('retriever_queue_turns', 'gauge', 'Turns of hosts.', turns, queue),
    family('retriever_queue_workers', 'gauge', 'Workers seen in the last 30 seconds.', { '': workers }, queue),
    family('retriever_queue_paused', 'gauge', 'Whether the queue is paused.', { '': isPaused ? 1 : 0 }, queue),
  ].join('')
}

/** One metric: a value for each state, or one alone under the name "". */
function family(
  metric: string,
  type: 'counter' | 'gauge',
  help: string,
  values: Readonly<Record<string, number>>,
  queue: string,
): string {
  const lines = Object.entries(values).map(([state, value]) => {
    const labels = state === '' ? queue : `${queue},state="${state}"`
    return `${metric}{${labels}} ${value}\n`
  })
  return `# HELP ${metric} ${help}\n# TYPE ${metric} ${type}\n${lines.join('')}`
}
