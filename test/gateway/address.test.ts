/** Properties of the addresses of pages: a URL of any scheme comes back from its address as it was. */
import { domainToASCII } from 'node:url'
import { type Resolution, RetrievalError, resolve } from '@retriever/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf, urlAt } from '../../packages/gateway/src/pages/address.ts'
import { anyText, anyUrl, octets, schemeName } from '../support/any-url.ts'
import { runs } from '../support/runs.ts'

const often = { numRuns: runs(16_000) }
const own = fc.constantFrom(undefined, 'raw=1', 'zip=1', 'part=1.2', 'sort=-size')
/** Characters that addresses have as they are, or nearly so. */
const plain = fc.string({ unit: fc.constantFrom(..."-._~!$&'()*+,;=:@%/?[]a1"), maxLength: 6 })
/** Pieces that look like a parameter of the gateway, or that browsers take out of addresses. */
const end = fc.constantFrom('', '?raw=1', '&raw=1', '?a&part=2', '%3Fraw=1', '/..', '/%2E', '?', '/', '#')
/** URLs with octets of all kinds. */
const odd = fc
  .tuple(schemeName, fc.oneof(octets, plain), fc.oneof(end, plain))
  .map(([name, path, more]) => `${name}://h/${path}${more}`)

function tryResolve(url: string): Resolution | undefined {
  try {
    return resolve(url, { domainToAscii: domainToASCII })
  } catch (error) {
    if (RetrievalError.is(error)) return undefined
    throw error
  }
}

test('a URL comes back from the address that a browser sends for it, and means the same', () => {
  let count = 0
  fc.assert(
    fc.property(fc.oneof(anyUrl, odd), own, (text, form) => {
      const resolution = tryResolve(text)
      if (resolution === undefined) return
      count++
      const address = addressOf(resolution.url, form)
      expect(address).toMatch(/^\/[\x21-\x7E]+$/)
      const sent = new URL(address, 'http://localhost:8070').href.replace('http://localhost:8070', '')
      expect(sent).toBe(address)
      const wanted = urlAt(sent)
      expect(wanted).toEqual({ url: resolution.url.replace(/#.*$/s, ''), own: form ?? null })
      if (!resolution.url.includes('#')) expect(tryResolve(wanted?.url ?? '')?.plan).toEqual(resolution.plan)
    }),
    often,
  )
  expect(count).toBeGreaterThan(often.numRuns / 10)
})

test('whatever is typed as an address leads to one URL', () => {
  const address = fc.oneof(
    anyText.map((text) => `/-/${text}`),
    fc.tuple(schemeName, anyText).map(([name, text]) => `/${name}/${text}`),
  )
  fc.assert(
    fc.property(address, (typed) => {
      const wanted = urlAt(typed)
      if (wanted === null || /[#\p{Surrogate}]/u.test(wanted.url)) return
      expect(urlAt(addressOf(wanted.url, wanted.own ?? undefined))).toEqual(wanted)
    }),
    often,
  )
})
