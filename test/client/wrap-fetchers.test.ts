/** wrapFetchers(): fetchers of a caller around those of a client. */
import { createClient } from '@retriever/fetchers'
import { wrapFetchers } from '@retriever/fetchers/plugin'
import { expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

test('the fetchers of a client are wrapped, the last one outermost, until each wrap ends', async () => {
  const asked: string[] = []
  await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('x')))] })
  const wrapAs = (name: string): (() => void) =>
    wrapFetchers(client, (fetcher) => ({
      ...fetcher,
      retrieve: (plan, context) => {
        asked.push(`${name} ${context.url}`)
        return fetcher.retrieve(plan, context)
      },
    }))
  const retrieve = async (url: string): Promise<string[]> => {
    expect(await (await client.retrieve(url)).text()).toBe('x')
    return asked.splice(0)
  }
  const [endFirst, endSecond] = [wrapAs('first'), wrapAs('second')]
  expect(await retrieve('http://h/1')).toEqual(['second http://h/1', 'first http://h/1'])
  // A built-in fetcher, which is loaded only now.
  expect(await retrieve('data:,x')).toEqual(['second data:,x', 'first data:,x'])
  endSecond()
  expect(await retrieve('http://h/2')).toEqual(['first http://h/2'])
  endFirst()
  expect(await retrieve('http://h/3')).toEqual([])
})

test('another client is refused', async () => {
  await using client = createClient()
  const error = await failure(Promise.resolve().then(() => wrapFetchers({ ...client }, (fetcher) => fetcher)))
  expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining('client') })
})
