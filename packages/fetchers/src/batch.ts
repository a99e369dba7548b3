import type { RetrievalError } from '@retriever/core'
import type { BatchOutcome, Client, RetrieveOptions } from './client.ts'

/** Many URLs at a time, at most so many of one host; see Client.retrieveAll. */
export async function* retrieveAll(
  client: Client,
  urls: Iterable<string | URL>,
  options: RetrieveOptions,
  concurrency: number,
  perHost: number,
): AsyncGenerator<BatchOutcome> {
  const { default: PQueue } = await import('p-queue')
  const all = new PQueue({ concurrency })
  const hosts = new Map<string, InstanceType<typeof PQueue>>()
  const results: { readonly outcome: BatchOutcome; readonly stop: AbortController }[] = []
  // Of what has not been handed over: once it has, it is the consumer's, who may read it long after the last one came.
  const stops = new Set<AbortController>()
  let wake = (): void => {}
  let open = 0

  const retrieveOne = async (url: string): Promise<void> => {
    const stop = new AbortController()
    stops.add(stop)
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
    const outcome = await outcomeOf(client, url, { ...options, signal })
    results.push({ outcome, stop })
    wake()
    await outcome.representation?.finished
  }

  for (const each of urls) {
    const url = String(each)
    const name = hostOf(client, url, options.base)
    const host = hosts.get(name) ?? new PQueue({ concurrency: perHost })
    hosts.set(name, host)
    open++
    // The host's place is taken first: a host that is full does not keep the others from theirs.
    void host.add(() => all.add(() => retrieveOne(url)))
  }
  try {
    for (; open > 0; open--) {
      let next = results.shift()
      for (; next === undefined; next = results.shift()) await new Promise<void>((resolve) => (wake = resolve))
      stops.delete(next.stop)
      yield next.outcome
    }
  } finally {
    for (const queue of [all, ...hosts.values()]) queue.clear()
    for (const stop of stops) stop.abort()
  }
}

async function outcomeOf(client: Client, url: string, options: RetrieveOptions): Promise<BatchOutcome> {
  try {
    return { url, representation: await client.retrieve(url, options), error: null }
  } catch (error) {
    // The client throws nothing else.
    return { url, representation: null, error: error as RetrievalError }
  }
}

function hostOf(client: Client, url: string, base?: string): string {
  try {
    const { plan } = client.resolve(url, base)
    return 'host' in plan ? (plan.host ?? '') : ''
  } catch {
    // It will fail by itself, and say why.
    return ''
  }
}
