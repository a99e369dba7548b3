import { createClient } from '@retriever/fetchers'
import { afterEach, expect, test, vi } from 'vitest'
import { reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'

afterEach(() => void vi.useRealTimers())

const day = 86_400_000
const limits = { idleTimeout: 60_000, totalTimeout: 60_000, maxRetryTime: 60_000, minSpeed: 1000, minSpeedTime: 30_000 }

test.each([day, -day])(
  'R42: a clock that jumps by %i ms in the wait for a retry and in a body ends neither',
  async (by) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const jump = (): void => void vi.setSystemTime(Date.now() + by)
    const whole = reply('200', {}, 'x'.repeat(1000))
    await using server = await scriptedHttp(({ index, socket }) => {
      if (index < 2) return reply('503', { 'Retry-After': '0' })
      socket.write(whole.subarray(0, 500))
      return undefined
    })
    await using client = createClient({ limits, onEvent: ({ type }) => void (type === 'retried' && jump()) })
    const octets: Uint8Array[] = []
    for await (const chunk of await client.retrieve(server.url)) {
      if (octets.push(chunk) > 1) continue
      jump()
      server.asked[2]?.socket.write(whole.subarray(500))
    }
    expect(Buffer.concat(octets)).toHaveLength(1000)
    expect(server.asked).toHaveLength(3)
  },
)
