import {
  explain,
  extractUrls,
  normalizeUrl,
  octetsToText,
  printable,
  redact,
  resolve,
  resolveReference,
} from '@retriever/core'
import { safeFileName } from '../../packages/fetchers/src/saving/file-name.ts'
import * as grammar from './grammar.ts'
import { transform } from './rfc3986.ts'
import { attempt, options, require, requireEqual, type Target } from './target.ts'

export const extract: Target = {
  about: 'URLs in running text: spans in order that hold what was found, and each is found again',
  generate: (random) => [grammar.text(random)],
  check(text = '') {
    let done = 0
    for (const { url, span, form, error, alternates } of extractUrls(text)) {
      require(span[0] >= done && span[1] > span[0] && span[1] <= text.length, `the span ${span} overlaps`)
      done = span[1]
      const written = text.slice(...span)
      const meant = form === 'wrapped' ? written.replace(/^<(?:URL:)?|>$|\s/gi, '') : written
      requireEqual(url, meant, 'the span holds something else')
      require(alternates.length < 4, 'there are too many readings')
      if (error !== null) continue
      requireEqual(
        [...extractUrls(`<URL:${url}>`)].map((again) => again.url),
        [url],
        'it is not found again',
      )
    }
  },
}

export const reference: Target = {
  about: 'property 6: a relative reference is resolved as RFC 3986 5.2 says, and makes no authority of its own',
  generate: (random) => [grammar.reference(random), grammar.base(random)],
  check(text = '', base = '') {
    const target = resolveReference(text, base)
    requireEqual(target, transform(text, base), 'RFC 3986 5.2 gives another target')
    if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) || text.startsWith('//')) return
    const authority = /^[^:]*:(?:\/\/[^/?#]*)?/
    requireEqual(authority.exec(target)?.[0], authority.exec(base)?.[0], 'scheme or authority changed')
  },
}

export const redacting: Target = {
  about: 'property 10: a planted secret is gone from any text, and what is hidden stays as it is',
  isWhole: true,
  generate: (random) => {
    const { url, secret } = grammar.urlWithSecret(random)
    // A blank ends a word, and may part a name from its value.
    return [`${grammar.text(random)} ${url} ${grammar.text(random)}`, /\s/.test(url) ? '' : secret]
  },
  check(text = '', secret = '') {
    const shown = redact(text)
    if (secret !== '') require(!shown.includes(secret), `it is shown: ${shown}`)
    requireEqual(redact(shown), shown, 'twice is not as once')
  },
}

const pumped: ReadonlyArray<readonly [name: string, run: (text: string) => void]> = [
  ['extractUrls', (text) => void [...extractUrls(text)].length],
  ['redact', redact],
  ['printable', printable],
  ['octetsToText', octetsToText],
  ['safeFileName', (text) => safeFileName(text, { platform: 'linux' })],
  ['explain', (text) => explain(text, options)],
  ['explain data:', (text) => explain(`data:,${text}`, options)],
  ['resolve with a base', (text) => attempt(() => resolve(text, { ...options, base: 'http://a/b/c' }))],
  ['resolve as a path', (text) => attempt(() => resolve(`ftp://h/${text}`, options))],
  ['normalizeUrl', (text) => attempt(() => normalizeUrl(`http://h/${text}`))],
]

export const time: Target = {
  about: 'twice as much text takes twice as long, and not more (slow: 1000 runs take a minute)',
  generate: (random) => [
    random.pick(pumped)[0],
    random.pick([
      "'data:",
      '<URL:',
      grammar.url(random),
      grammar.piece(random),
      grammar.text(random).slice(0, 30),
      '?token=',
      '//a:',
    ]),
    random.several(2, () => grammar.piece(random)),
  ],
  check(name = '', pump = '', tail = '') {
    const run = pumped.find(([known]) => known === name)?.[1]
    if (run === undefined || pump === '') return
    const took = (length: number): number => {
      const text = pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + tail
      // The processor's time, not the clock's: others may be at work.
      const started = process.cpuUsage()
      run(text)
      return process.cpuUsage(started).user / 1000
    }
    const length = 30_000
    took(length / 10)
    // Only what is slow both times is looked at again: the machine may have been busy.
    for (let attempts = 0; attempts < 4; attempts++) {
      const [once, twice] = [took(length), took(2 * length)]
      if (twice < 60 || twice < 3 * once) return
    }
    throw new Error(`${name} takes more than thrice the time for twice the text`)
  },
}
