import { Readable } from 'node:stream'
import { type Client, createClient, type Representation } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import type { ByteSource } from '../../packages/fetchers/src/contract/byte-source.ts'
import { chunksOf, sourceOf, wholeSource } from '../../packages/fetchers/src/kit/byte-source.ts'
import { withoutFirst } from '../../packages/fetchers/src/wire/resuming-source.ts'
import { failure } from '../support/failure.ts'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

/** Gives each of the words in the same four octets of memory. */
function reusing(...words: readonly string[]): ByteSource & { cancelled: number } {
  const memory = Buffer.alloc(4)
  const left = [...words]
  return {
    reusesChunks: true,
    cancelled: 0,
    async read() {
      const word = left.shift()
      return word === undefined ? null : memory.subarray(0, memory.write(word))
    },
    async cancel() {
      this.cancelled++
    },
  }
}

async function collected(octets: AsyncIterable<Uint8Array>): Promise<string[]> {
  const kept: Uint8Array[] = []
  for await (const chunk of octets) kept.push(chunk)
  return kept.map((chunk) => Buffer.from(chunk).toString())
}

describe('what a plug-in may give as a body', () => {
  test.each([
    ['a generator', () => chunks('one', 'two')],
    ['a Node stream', () => Readable.from([Buffer.from('one'), Buffer.from('two')])],
    ['a web stream', () => new Response('onetwo').body as unknown as AsyncIterable<Uint8Array>],
    ['a source', () => sourceOf(chunks('one', 'two'))],
    ['a source that reuses its memory', () => reusing('one', 'two')],
  ])('%s', async (_, body) => {
    const client = createClient({ fetchers: [fakeHttp(() => retrieved(body()))] })
    expect(await (await client.retrieve('http://h/')).text()).toBe('onetwo')
    const read: string[] = []
    await (await client.retrieve('http://h/')).writeTo(async (chunk) => {
      await new Promise((resolve) => setImmediate(resolve))
      read.push(Buffer.from(chunk).toString())
    })
    expect(read.join('')).toBe('onetwo')
  })

  test.each<[string, (client: Client, body: Representation) => Promise<void>]>([
    ['close()', (client) => client.close()],
    ['cancel()', (_, body) => body.cancel()],
  ])('%s closes a Node stream, whether it is read or not', async (_, end) => {
    for (const isRead of [false, true]) {
      const stream = new Readable({ read() {} })
      await using client = createClient({ fetchers: [fakeHttp(() => retrieved(stream))] })
      const body = await client.retrieve('http://h/')
      const reading = isRead ? failure(body.text()) : null
      await end(client, body)
      expect(stream.destroyed).toBe(true)
      if (reading !== null) expect(await reading).toMatchObject({ code: 'aborted' })
    }
  })

  test('leaving the loop cancels it', async () => {
    const source = reusing('one', 'two')
    const client = createClient({ fetchers: [fakeHttp(() => retrieved(source))] })
    for await (const chunk of await client.retrieve('http://h/')) {
      expect(Buffer.from(chunk).toString()).toBe('one')
      break
    }
    expect(source.cancelled).toBe(1)
  })
})

describe('chunksOf', () => {
  test('copies chunks that are kept and would be overwritten', async () => {
    expect(await collected(chunksOf(reusing('one', 'two'), true))).toEqual(['one', 'two'])
    expect(await collected(chunksOf(reusing('one', 'two')))).toEqual(['two', 'two'])
  })

  test('copies no others', async () => {
    const own = Buffer.from('own')
    for await (const chunk of chunksOf(wholeSource(own), true)) expect(chunk).toBe(own)
  })
})

describe('sourceOf', () => {
  test('cancels what it wraps, once, and gives nothing more', async () => {
    const { body, stopped } = endless()
    const source = sourceOf(body)
    expect((await source.read())?.length).toBe(1024)
    await source.cancel()
    await source.cancel()
    expect([stopped(), await source.read()]).toEqual([true, null])
  })

  test('cancels a Node stream that nothing has read', async () => {
    const stream = new Readable({ read() {} })
    await sourceOf(stream).cancel()
    expect(stream.destroyed).toBe(true)
  })

  test('throws the error of a Node stream that came before it was read', async () => {
    const stream = new Readable({ read() {} })
    const source = sourceOf(stream)
    const closed = new Promise((resolve) => stream.once('close', resolve))
    stream.destroy(new Error('broken'))
    await closed
    await expect(source.read()).rejects.toThrow('broken')
  })

  test.each([[Uint16Array.of(0x41)], [new DataView(new ArrayBuffer(1))], [new ArrayBuffer(1)], ['A'], [5], [null]])(
    'refuses %o as a chunk',
    async (chunk) => {
      let isLeft = false
      async function* wrong(): AsyncGenerator<Uint8Array> {
        try {
          yield chunk as unknown as Uint8Array
        } finally {
          isLeft = true
        }
      }
      await expect(sourceOf(wrong()).read()).rejects.toThrow(/expected octets \(Uint8Array\) as a chunk/)
      expect(isLeft).toBe(true)
    },
  )

  test('is over after a failure', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one')
      throw new Error('broken')
    }
    const source = sourceOf(failing())
    await source.read()
    await expect(source.read()).rejects.toThrow('broken')
    await source.cancel()
    expect(await source.read()).toBeNull()
  })
})

test.each([
  [0, 'onetwo'],
  [2, 'etwo'],
  [3, 'two'],
  [5, 'o'],
  [9, ''],
])('withoutFirst(%i)', async (octets, rest) => {
  expect((await collected(chunksOf(withoutFirst(octets, reusing('one', 'two')), true))).join('')).toBe(rest)
})

test('the empty source ends at once', async () => {
  expect(await wholeSource().read()).toBeNull()
})
