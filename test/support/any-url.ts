/** URLs of all schemes, hostile ones among them, for properties of fast-check. */
import { builtinSchemes } from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import fc from 'fast-check'
import { tableUrls } from './url-tables.ts'

/** Relative references are left out. */
export const examples = tableUrls.filter((url) => schemeOf(url) !== undefined && url.length < 400)

export const octets = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))
export const schemeName = fc.constantFrom(...builtinSchemes.map(({ name }) => name))
const delimiters = '://,/,?,#,@,:,%,%0d,%0A,%00,%09,[,],;,;type=,..,/../,%2e%2e,+,=,&,(,),!,~,-,\\,;base64'.split(',')
const piece = fc.oneof(
  fc.constantFrom(...delimiters, ','),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('h', 'a.b', 'a@b', '1'),
)
export const pieces = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))

/** Delimiters, escapes, and anything at all between them, behind the name of a scheme. */
const urlLike = fc.tuple(schemeName, pieces).map(([name, rest]) => `${name}:${rest}`)
/** A URL of a table, with something put somewhere into it. */
const mutated = fc.tuple(fc.constantFrom(...examples), fc.nat(), pieces).map(([url, at, inserted]) => {
  const place = at % (url.length + 1)
  return url.slice(0, place) + inserted + url.slice(place)
})
export const anyUrl = fc.oneof(mutated, urlLike, fc.constantFrom(...examples))
export const anyText = fc.oneof(anyUrl, fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 80 }))
