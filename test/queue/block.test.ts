/** How the URLs of a queue are packed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasBit, packBlock, packIndexes, unpackBlock, unpackIndexes } from '../../packages/queue/src/frontier/block.ts'

const url = fc
  .record({ url: fc.webUrl(), login: fc.option(fc.stringMatching(/^[\w.-]{1,64}$/)), depth: fc.nat({ max: 1000 }) })
  .map(({ url, login, depth }) => ({ url, ...(login !== null && { login }), ...(depth > 0 && { depth }) }))

test('a block gives back what it was made of', () => {
  fc.assert(
    fc.property(fc.array(url, { minLength: 1, maxLength: 300 }), fc.nat({ max: 255 }), (urls, tries) => {
      expect(unpackBlock(packBlock({ tries, urls }))).toEqual({ tries, urls })
    }),
    { numRuns: 50 },
  )
})

test('the scripts find the number of tries and of URLs in octets 2 to 4', () => {
  const urls = Array.from({ length: 300 }, (_, at) => ({ url: `http://www.example.org/${at}` }))
  const block = packBlock({ tries: 999, urls })
  expect([...block.subarray(1, 4)]).toEqual([255, 1, 44])
  // 300 URLs of one host are a few octets each.
  expect(block.length).toBeLessThan(300 * 5)
})

test('a block of a newer version is refused, and so is one that is not deflated', () => {
  const block = packBlock({ tries: 0, urls: [{ url: 'http://www.example.org/' }] })
  expect(() => unpackBlock(Buffer.concat([Buffer.of(2), block.subarray(1)]))).toThrow('has version 2')
  expect(() => unpackBlock(Buffer.of(0x81, 0, 0, 1, 0xff))).toThrow()
})

test('indexes and bits are those of Redis', () => {
  expect(packIndexes([1, 258])).toEqual(Buffer.of(0, 1, 1, 2))
  expect(unpackIndexes(packIndexes([0, 65_535]))).toEqual([0, 65_535])
  // SETBIT key 9 1
  expect([8, 9, 10, 99].map((index) => hasBit(Buffer.of(0, 0b0100_0000), index))).toEqual([false, true, false, false])
})
