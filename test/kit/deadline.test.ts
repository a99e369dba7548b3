/** The deadline that a fetcher gets: limits of phases, aborts, attempts, and what is left behind afterwards. */
import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { type Phase, RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient, type Limits, type RetrieveOptions } from '@retriever/fetchers'
import { lookingFirst } from '@retriever/fetchers/internal'
import type { Deadline, RetrievalContext } from '@retriever/fetchers/plugin'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

type Use = (deadline: Deadline, context: RetrievalContext) => unknown

const never = () => new Promise<never>(() => {})
/** What the last fetcher does. A retrieval that is over does not wait for it. */
let used: Promise<unknown> = Promise.resolve()
const limits: Partial<Limits> = { maxRetries: 0, connectTimeout: 1000, idleTimeout: 5000, totalTimeout: 60_000 }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** What a retrieval gives whose fetcher does this: its value, or the error. */
async function during(use: Use, more: ClientOptions = {}, call: RetrieveOptions = {}): Promise<unknown> {
  let value: unknown
  const http = fakeHttp(async (_plan, context) => {
    used = (async () => use(context.deadline, context))()
    value = await used
    return retrieved(chunks('x'))
  })
  await using client = createClient({ fetchers: [http], ...more, limits: { ...limits, ...more.limits } })
  try {
    await (await client.retrieve('http://u:s3cr3t@h.example/', call)).bytes()
    return value
  } catch (error) {
    return error
  }
}

/** The same while the clock goes on by so many milliseconds. */
async function within(milliseconds: number, use: Use, more: Partial<Limits> = {}): Promise<unknown> {
  const ended = during(use, { limits: more })
  await vi.advanceTimersByTimeAsync(milliseconds)
  return await Promise.race([ended, Promise.resolve('waits')])
}

const timeout = (phase: Phase, option: string, transient: boolean) => ({
  code: 'timeout',
  phase,
  transient,
  url: 'http://u:***@h.example/',
  advice: { option: `limits.${option}` },
})

describe('an operation', () => {
  test('gives its value or its error, and leaves no timer', async () => {
    expect(await during((deadline) => deadline.within('body', async () => 7))).toBe(7)
    const error = new RetrievalError('refused', 'no', { phase: 'body', url: 'http://h.example/' })
    for (const operation of [() => Promise.reject(error), () => expect.fail('at once') as never]) {
      expect(await during((deadline) => deadline.within('body', operation))).toBeInstanceOf(Error)
    }
    expect(await during((deadline) => deadline.unlimited(async () => 8))).toBe(8)
    expect(await during((deadline) => deadline.unlimited(() => Promise.reject(error)))).toMatchObject({
      code: 'refused',
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each<[Phase, string, number, boolean]>([
    ['lookup', 'connectTimeout', 1000, false],
    ['connect', 'connectTimeout', 1000, false],
    ['tls', 'connectTimeout', 1000, false],
    ['greeting', 'idleTimeout', 5000, true],
    ['login', 'idleTimeout', 5000, true],
    ['request', 'idleTimeout', 5000, true],
    ['body', 'idleTimeout', 5000, true],
  ])('in the phase %s is held to limits.%s', async (phase, option, milliseconds, transient) => {
    const use: Use = (deadline) => deadline.within(phase, never)
    expect(await within(milliseconds - 1, use)).toBe('waits')
    const error = await within(milliseconds, use)
    expect(error).toMatchObject(timeout(phase, option, transient))
    expect(String(error)).toContain(`No octets came within ${milliseconds / 1000} s`)
    expect(String(error)).not.toContain('s3cr3t')
    expect(/no TLS on this port/.test(String(error))).toBe(phase === 'tls')
    expect(/or raise `limits/.test(String(error))).toBe(option === 'connectTimeout')
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    [{ minSpeed: 1, minSpeedTime: 3000 }, 3000, 'minSpeedTime'],
    [{ minSpeed: 1, minSpeedTime: 5000 }, 5000, 'idleTimeout'],
    [{ minSpeed: 1, minSpeedTime: 6000 }, 5000, 'idleTimeout'],
    [{ minSpeed: 0, minSpeedTime: 3000 }, 5000, 'idleTimeout'],
  ])('with %j waits %i ms', async (more, milliseconds, option) => {
    const use: Use = (deadline) => deadline.within('request', never)
    expect(await within(milliseconds - 1, use, more)).toBe('waits')
    expect(await within(milliseconds, use, more)).toMatchObject(timeout('request', option, true))
  })

  test('without a limit ends with the whole retrieval alone', async () => {
    const error = await within(60_000, (deadline) => deadline.unlimited(never))
    expect(error).toMatchObject(timeout('resolve', 'totalTimeout', false))
    expect(String(error)).toContain('did not end within 60 s')
    const inTls: Use = (deadline) => deadline.within('tls', never)
    const total = await within(500, inTls, { totalTimeout: 500 })
    expect(total).toMatchObject(timeout('tls', 'totalTimeout', false))
    expect(String(total)).not.toContain('no TLS on this port')
    const endless = { idleTimeout: Number.POSITIVE_INFINITY, totalTimeout: Number.POSITIVE_INFINITY }
    const before = vi.getTimerCount()
    expect(await within(1e9, (deadline) => deadline.within('body', never), endless)).toBe('waits')
    expect(vi.getTimerCount()).toBe(before)
  })

  test('may have a limit beyond what a timer can count', async () => {
    const long = { idleTimeout: 2 ** 40, totalTimeout: 2 ** 40 }
    expect(await within(1000, (deadline) => deadline.within('body', never), long)).toBe('waits')
    expect(await within(2 ** 31 - 1, (deadline) => deadline.within('body', never), long)).toMatchObject({
      code: 'timeout',
    })
  })
})

test('an operation that fails leaves no timer to a fetcher that goes on', async () => {
  const use: Use = async (deadline) => {
    const before = vi.getTimerCount()
    await deadline.within('body', () => Promise.reject(new Error('cut'))).catch(() => {})
    await deadline.within('body', async () => {})
    return vi.getTimerCount() - before
  }
  expect(await during(use)).toBe(0)
})

describe('a signal that a clock is compared for', () => {
  /** What happens to a fetcher whose signal is found to be over at the look of this number. */
  async function looking(number: number, use: Use) {
    const stop = new AbortController()
    let looks = 0
    const signal = lookingFirst(stop.signal, () => {
      if (++looks === number) stop.abort('late')
    })
    const error = await during(use, {}, { signal })
    await used.catch(() => {})
    return { error, looks }
  }
  const late = expect.objectContaining({ code: 'aborted', cause: 'late' })

  test('is looked at before each operation and after it, and before each request', async () => {
    let begun = 0
    const use: Use = async (deadline) => {
      await deadline.within('request', async () => void begun++)
      deadline.look()
      begun += 10
      await deadline.within('body', async () => {
        begun += 100
      })
    }
    const { looks } = await looking(Number.POSITIVE_INFINITY, use)
    expect(begun).toBe(111)
    const seen: number[] = []
    for (let number = 1; number <= looks; number++) {
      begun = 0
      expect((await looking(number, use)).error).toEqual(late)
      seen.push(begun)
    }
    expect(seen.join()).toMatch(/^(?:0,)*0,1,1,11,111(?:,111)*$/)
  })

  test('is not looked at once it is over', async () => {
    const codes: unknown[] = []
    const use: Use = async (deadline) => {
      for (let times = 0; times < 3; times++) {
        await deadline.within('request', async () => {}).catch(({ code }: RetrievalError) => codes.push(code))
      }
    }
    const first = await looking(1, use)
    expect(first).toEqual({ error: late, looks: 1 })
    const { looks } = await looking(3, use)
    expect(looks).toBe(3)
    expect(new Set(codes)).toEqual(new Set(['aborted']))
  })
})

test('the waits for a body count if limits.minSpeed asks for them, those of attempts, too', async () => {
  const wait = (deadline: Deadline, phase: Phase, time: number) =>
    deadline.within(phase, async () => void vi.advanceTimersByTime(time))
  const use: Use = async (deadline) => {
    await wait(deadline, 'request', 100)
    await wait(deadline, 'body', 200)
    const attempt = deadline.attempt()
    await wait(attempt, 'body', 300)
    return [deadline.bodyWait, attempt.bodyWait]
  }
  expect(await during(use, { limits: { minSpeed: 1 } })).toEqual([500, 300])
  expect(await during(use)).toEqual([0, 0])
})

describe('an abort of the caller', () => {
  const aborting = (use: (deadline: Deadline, stop: () => void) => unknown, reason?: unknown) => {
    const stop = new AbortController()
    return during((deadline) => use(deadline, () => stop.abort(reason)), {}, { signal: stop.signal })
  }
  const aborted = { code: 'aborted', phase: 'request', cause: 'enough' }

  test('ends what runs, tells its reason, and leaves no timer', async () => {
    for (const way of ['within', 'unlimited'] as const) {
      const error = await aborting((deadline, stop) => {
        deadline.phase = 'request'
        const ended = way === 'within' ? deadline.within('request', never) : deadline.unlimited(never)
        stop()
        return ended
      }, 'enough')
      expect(error).toMatchObject(aborted)
      expect(String(error)).not.toContain('s3cr3t')
    }
    expect(vi.getTimerCount()).toBe(0)
  })

  test('by an error of ours is that error', async () => {
    const own = new RetrievalError('limit-exceeded', 'too much', { phase: 'body', url: 'http://h.example/' })
    expect(await aborting((deadline, stop) => deadline.within('body', async () => stop()), own)).toMatchObject({
      code: 'limit-exceeded',
    })
  })

  test('counts although the operation has ended well or badly, and lets no other begin', async () => {
    const begun: string[] = []
    const error = await aborting(async (deadline, stop) => {
      const ends = await Promise.allSettled([
        deadline.within('request', async () => stop()),
        deadline.within('request', async () => begun.push('within')),
        deadline.unlimited(async () => begun.push('unlimited')),
      ])
      const codes = ends.map((end) => end.status === 'rejected' && end.reason.code)
      begun.push(...codes.map(String))
      expect(deadline.reason).toMatchObject(aborted)
      expect(() => deadline.throwIfAborted()).toThrow(expect.objectContaining(aborted))
    }, 'enough')
    expect(error).toMatchObject(aborted)
    await used
    expect(begun).toEqual(['aborted', 'aborted', 'aborted'])
  })

  test('is heard once by each listener, at once by one that comes late, and by none that is gone', async () => {
    const heard: string[] = []
    await aborting((deadline, stop) => {
      deadline.onAbort(() => heard.push('a'))
      deadline.onAbort(() => heard.push('gone'))()
      deadline.throwIfAborted()
      deadline.look()
      expect(deadline.reason).toBeNull()
      const { signal } = deadline
      expect(signal.aborted).toBe(false)
      stop()
      deadline.fail(new RetrievalError('refused', 'later', { phase: 'body', url: 'http://h.example/' }))
      heard.push(signal.reason.code, deadline.signal.reason.code, String(deadline.reason?.code))
      deadline.onAbort(() => heard.push('late'))()
    })
    await used
    expect(heard).toEqual(['a', 'aborted', 'aborted', 'aborted', 'late'])
  })

  test('reaches a signal that is asked for afterwards', async () => {
    let late: unknown
    await aborting((deadline, stop) => {
      stop()
      late = [deadline.signal.aborted, deadline.signal.reason.code]
    })
    await used
    expect(late).toEqual([true, 'aborted'])
  })

  test('is one listener for all retrievals of a signal, which goes with the last of them', async () => {
    const stop = new AbortController()
    const count = () => getEventListeners(stop.signal, 'abort').length
    const counts: number[] = []
    const release: (() => void)[] = []
    const wait: Use = (deadline) => deadline.unlimited(() => new Promise<void>((resolve) => void release.push(resolve)))
    const held = () => during(wait, {}, { signal: stop.signal })
    const ended = [held(), held()]
    while (release.length < 2) await turn()
    counts.push(count())
    release[0]?.()
    await ended[0]
    counts.push(count())
    release[1]?.()
    await ended[1]
    counts.push(count())
    expect(counts).toEqual([1, 1, 0])
    const again = [held(), held()]
    while (release.length < 4) await turn()
    stop.abort()
    expect(await Promise.all(again)).toMatchObject([{ code: 'aborted' }, { code: 'aborted' }])
    expect(await held()).toMatchObject({ code: 'aborted' })
    expect([count(), release.length]).toEqual([0, 4])
  })
})

describe('an attempt', () => {
  const failed = new RetrievalError('refused', 'given up', { phase: 'body', url: 'http://h.example/' })

  test('fails alone, with its own URL and limits, and shows its phase', async () => {
    const use: Use = async (deadline, context) => {
      const attempt = deadline.attempt('http://other.example/', { ...context.limits, idleTimeout: 10 })
      const error = await attempt.within('login', never).catch((reason: RetrievalError) => reason)
      return [error, deadline.phase, deadline.reason, attempt.reason === error]
    }
    const [error, ...others] = (await within(10, use)) as unknown[]
    expect(error).toMatchObject({ code: 'timeout', url: 'http://other.example/' })
    expect(others).toEqual(['login', null, true])
  })

  test('begins in the phase of the whole, and has its limits and its URL', async () => {
    const use: Use = async (deadline) => {
      deadline.phase = 'greeting'
      const attempt = deadline.attempt()
      const error = await attempt.within(attempt.phase, never).catch((reason: RetrievalError) => reason)
      return error
    }
    expect(await within(5000, use)).toMatchObject(timeout('greeting', 'idleTimeout', true))
  })

  test('ends with the whole, unless it is over', async () => {
    const use: Use = (deadline) => {
      const [one, over] = [deadline.attempt(), deadline.attempt()]
      over.end()
      deadline.fail(failed)
      const late = deadline.attempt()
      return [one.reason, over.reason, late.reason].map((reason) => reason?.code)
    }
    let codes: unknown
    await during(async (...given) => (codes = await use(...given)))
    expect(codes).toEqual(['refused', undefined, 'refused'])
  })
})

describe('the end of the total time', () => {
  const total = { totalTimeout: 1000, idleTimeout: 5000 }

  test('is an error, unless the last listener says that all has come', async () => {
    for (const [says, expected] of [
      [true, 'ended'],
      [false, expect.objectContaining({ code: 'timeout', advice: { option: 'limits.totalTimeout' } })],
    ] as const) {
      const use: Use = (deadline) =>
        deadline.within('body', () => {
          return new Promise((resolve) => {
            const forget = deadline.onTimeUp(() => expect.fail('an older one') as never)
            deadline.onTimeUp(() => {
              if (says) resolve('ended')
              return says
            })
            forget()
          })
        })
      expect(await within(1000, use, total)).toEqual(expected)
    }
  })

  test('is one without a listener, too, and never after the retrieval', async () => {
    const use: Use = (deadline) => {
      deadline.onTimeUp(() => true)()
      return deadline.within('body', never)
    }
    expect(await within(1000, use, total)).toMatchObject({ code: 'timeout' })
    expect(await during(() => 'done', { limits: total })).toBe('done')
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a wait before a further try ends with the retrieval, and leaves no timer', async () => {
  const stop = new AbortController()
  const http = fakeHttp(() => {
    throw new RetrievalError('receive-failed', 'cut', { phase: 'body', url: 'http://h.example/', transient: true })
  })
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === 'retried') queueMicrotask(() => stop.abort())
  }
  await using client = createClient({ fetchers: [http], onEvent, limits: { ...limits, maxRetries: 1 } })
  await expect(client.retrieve('http://h.example/', { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
  expect(vi.getTimerCount()).toBe(0)
})
