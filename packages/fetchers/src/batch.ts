import { RetrievalError } from '@retriever/core'
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
  const results: BatchOutcome[] = []
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  let wake = (): void => {}
  let open = 0

  const retrieveOne = async (url: string): Promise<void> => {
    let read = Promise.resolve()
    try {
      const representation = await client.retrieve(url, { ...options, signal })
      read = representation.finished
      results.push({ url, representation, error: null })
    } catch (error) {
      if (!RetrievalError.is(error)) throw error
      results.push({ url, representation: null, error })
    }
    wake()
    await read
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
      while (results.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      yield results.shift() as BatchOutcome
    }
  } finally {
    for (const queue of [all, ...hosts.values()]) queue.clear()
    stop.abort()
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
