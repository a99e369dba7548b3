import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { createClient, type RetrieveTrace } from '@retriever/fetchers'
import { afterEach, describe, expect, test } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const name = 'retriever:retrieve'
const phases = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const
let undo: () => void = () => {}
afterEach(() => undo())

/** Subscribes, and collects the messages as they are at each event. */
function subscribe(): { told: string[]; messages: RetrieveTrace[] } {
  const told: string[] = []
  const messages: RetrieveTrace[] = []
  const hear = (phase: string) => (message: unknown) => {
    const trace = message as RetrieveTrace
    const extra = trace.error === undefined ? '' : ` ${trace.error.code}`
    told.push(`${phase} ${trace.id}${extra}`)
    messages.push({ ...trace })
  }
  const heard = {
    start: hear('start'),
    end: hear('end'),
    asyncStart: hear('asyncStart'),
    asyncEnd: hear('asyncEnd'),
    error: hear('error'),
  }
  tracingChannel(name).subscribe(heard)
  undo = () => void tracingChannel(name).unsubscribe(heard)
  return { told, messages }
}

describe('the tracing channel retriever:retrieve', () => {
  test('has the life of a retrieval, up to the end of its body', async () => {
    const { told, messages } = subscribe()
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('abc')))] })
    const representation = await client.retrieve('http://u:s3cr3t@h/?token=s3cr3t')
    expect(told).toEqual(['start 1', 'end 1', 'asyncStart 1'])
    await representation.text()
    expect(told).toEqual(['start 1', 'end 1', 'asyncStart 1', 'asyncEnd 1'])
    expect(messages[0]).toEqual({ id: 1, url: 'http://u:***@h/?token=***', mechanism: 'http' })
    expect(messages[2]?.result).toBe(representation)
    expect(messages[3]).toMatchObject({ received: 3, timings: representation.timings })
  })

  test('a failure comes before the answer, or in the body', async () => {
    const { told } = subscribe()
    await using client = createClient({
      fetchers: [
        fakeHttp(({ target }, { error }) => {
          if (target === '/missing') throw error('not-found', 'No.')
          return retrieved(
            (async function* () {
              yield Buffer.from('a')
              throw error('partial', 'It breaks off.')
            })(),
          )
        }),
      ],
    })
    await client.retrieve('http://h/missing').catch(() => {})
    expect(told.splice(0)).toEqual([
      'start 1',
      'end 1',
      'error 1 not-found',
      'asyncStart 1 not-found',
      'asyncEnd 1 not-found',
    ])
    await (await client.retrieve('http://h/')).text().catch(() => {})
    expect(told).toEqual(['start 2', 'end 2', 'asyncStart 2', 'error 2 partial', 'asyncEnd 2 partial'])
  })

  test('stores that are bound to it hold within the retrieval', async () => {
    const store = new AsyncLocalStorage<number>()
    const start = channel(`tracing:${name}:start`)
    start.bindStore(store, (message) => (message as RetrieveTrace).id)
    undo = () => void start.unbindStore(store)
    const seen: unknown[] = []
    await using client = createClient({
      fetchers: [
        fakeHttp(() => {
          seen.push(store.getStore())
          return retrieved(chunks('a'))
        }),
      ],
    })
    await (await client.retrieve('http://h/')).text()
    expect(seen).toEqual([1])
  })

  test('all events are in these stores, wherever the caller reads the body', async () => {
    const store = new AsyncLocalStorage<string>()
    const start = channel(`tracing:${name}:start`)
    start.bindStore(store, (message) => `span ${(message as RetrieveTrace).id}`)
    const seen: string[] = []
    const see = (phase: string) => () => void seen.push(`${phase}: ${store.getStore()}`)
    const heard = {
      start: see('start'),
      end: see('end'),
      asyncStart: see('asyncStart'),
      asyncEnd: see('asyncEnd'),
      error: see('error'),
    }
    tracingChannel(name).subscribe(heard)
    undo = () => {
      start.unbindStore(store)
      tracingChannel(name).unsubscribe(heard)
    }
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('abc')))] })
    await store.run('caller', async () => {
      const representation = await client.retrieve('http://h/')
      expect(store.getStore()).toBe('caller')
      await representation.text()
      expect(store.getStore()).toBe('caller')
    })
    expect(seen).toEqual(['start: span 1', 'end: span 1', 'asyncStart: span 1', 'asyncEnd: span 1'])
  })

  test('has nothing of a retrieval that began before the subscription', async () => {
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('a')))] })
    const representation = await client.retrieve('http://h/')
    const { told } = subscribe()
    await representation.text()
    expect(told).toEqual([])
    expect(phases.every((phase) => typeof phase === 'string')).toBe(true)
  })
})
