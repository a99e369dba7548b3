import { decodeOctets, encodeOctets, explain, octetsToText, RetrievalError, redact, resolve } from '@retriever/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatLocator, splitUrl } from '../../packages/core/src/locator.ts'

const octets = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))
const scheme = fc.constantFrom('ftp', 'ftps', 'http', 'https', 'gopher', 'news', 'nntp', 'snews', 'telnet', 'file')
const fragments = fc.constantFrom(
  '://',
  '/',
  '?',
  '#',
  '@',
  ':',
  '%',
  '%0d',
  '%0A',
  '%00',
  '%09',
  '[',
  ']',
  ';type=',
  '..',
)

/** Text near a URL: delimiters, escapes, and anything at all between them. */
const urlLike = fc
  .tuple(
    scheme,
    fc.array(fc.oneof(fragments, fc.string({ unit: 'binary', maxLength: 4 }), fc.constantFrom('h', 'a.b')), {
      maxLength: 12,
    }),
  )
  .map(([name, pieces]) => `${name}:${pieces.join('')}`)
const anyText = fc.oneof(urlLike, fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 80 }))

/** Well-formed parts, so that most of the URLs resolve. */
const escaped = octets.map((text) => encodeOctets(text))

function attempt<T>(run: () => T): T | RetrievalError {
  try {
    return run()
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
}

test('any text gives a resolution or a RetrievalError', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const result = attempt(() => resolve(text))
      if (result instanceof RetrievalError) expect(result.phase).toBe('resolve')
      else expect(result.plan.mechanism).toBe(result.scheme.mechanism)
      explain(text)
    }),
    { numRuns: 2000 },
  )
})

test('decoding undoes encoding, once', () => {
  fc.assert(
    fc.property(octets, (text) => {
      expect(decodeOctets(encodeOctets(text))).toBe(text)
      const twice = encodeOctets(encodeOctets(text))
      expect(decodeOctets(twice)).toBe(encodeOctets(text))
    }),
  )
})

test('the plan holds the parts decoded exactly once', () => {
  fc.assert(
    fc.property(octets, (name) => {
      const path = encodeOctets(name)
      expect(resolve(`ftp://h/${path}`).plan).toMatchObject({ cwd: [], name })
      expect(resolve(`gopher://h/0${encodeOctets(name.replaceAll('\t', ''))}`).plan).toMatchObject({
        selector: name.replaceAll('\t', ''),
      })
      if (name === '') return // A password needs a user.
      expect(resolve(`ftp://${path}:${path}@h/`).plan).toMatchObject({ user: name, password: name })
    }),
  )
})

test('octets shown as text are UTF-8 where they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(octetsToText(decodeOctets(text))).toBe(text)
    }),
  )
})

test('parse(format(parse(u))) is parse(u)', () => {
  fc.assert(
    fc.property(anyText, fc.boolean(), (text, hasQuery) => {
      const split = attempt(() => splitUrl(text, () => hasQuery))
      if (split instanceof RetrievalError) return
      const again = formatLocator(split.locator)
      expect(splitUrl(again, () => hasQuery).locator).toEqual(split.locator)
      expect(again).not.toMatch(/[\0-\x20\x7F"<>\\^`{|}]/)
    }),
    { numRuns: 2000 },
  )
})

test('CR, LF or NUL in a part that lands on a protocol line is a danger or an error', () => {
  const bad = fc.constantFrom('%0d', '%0D', '%0a', '%0A', '%00')
  const placed = fc.tuple(escaped, bad, escaped).map((parts) => parts.join(''))
  const urls = fc.oneof(
    placed.map((part) => `ftp://h/${part}`),
    placed.map((part) => `ftp://h/${part};type=d`),
    placed.map((part) => `ftp://h/a/${part}/b`),
    placed.map((part) => `ftp://${part}@h/`),
    placed.map((part) => `ftps://u:${part}@h/`),
    placed.map((part) => `http://u:${part}@h/`),
    placed.map((part) => `nntp://h/${part}/1`),
    placed.map((part) => `nntp://h/g/${part}`),
    placed.map((part) => `nntp://u:${part}@h/g`),
    placed.map((part) => `news:${part}`),
    placed.map((part) => `news:${part}@h`),
    placed.map((part) => `snews://h/${part}`),
    placed.map((part) => `telnet://${part}@h/`),
    placed.map((part) => `telnet://h/${part}`),
    placed.map((part) => `gopher://h/0${part}`),
    placed.map((part) => `gophers://h/7s%09${part}`),
    placed.map((part) => `gopher://${part}/`),
    placed.map((part) => `http://${part}/`),
  )
  fc.assert(
    fc.property(urls, (url) => {
      const result = attempt(() => resolve(url))
      if (result instanceof RetrievalError) return
      expect(
        result.findings.map(({ code }) => code),
        url,
      ).toContain('encoded-delimiter')
    }),
    { numRuns: 2000 },
  )
})

test('what is sent without a finding is one line a message', () => {
  fc.assert(
    fc.property(urlLike, (url) => {
      const result = attempt(() => resolve(url))
      if (result instanceof RetrievalError || result.plan.mechanism === 'http') return
      if (result.findings.some(({ severity }) => severity === 'danger')) return
      // Gopher+ form data is a message of several lines by design.
      if (result.plan.mechanism === 'gopher' && result.plan.gopherPlus?.includes('\t1\r\n')) return
      for (const message of result.plan.wire) expect(message, url).toMatch(/^[^\r\n\0]*\r\n$/)
    }),
    { numRuns: 2000 },
  )
})

test('redact leaves no planted secret', () => {
  const secret = 'PLANTED'
  const around = fc.string({
    unit: fc.constantFrom('a', '.', '%', '-', ':', '/', '?', '#', ';', '&', '='),
    maxLength: 6,
  })
  const name = fc.constantFrom('ftp', 'HTTP', 'x-y', 'gopher')
  fc.assert(
    fc.property(
      name,
      fc.constantFrom('u', '', 'a%40b'),
      around,
      around,
      around,
      (protocol, user, before, after, tail) => {
        // A password is what stands after the first colon of the authority, whatever is in it.
        const url = `${protocol}://${user}:x${before}${secret}${after}@host/${tail}`
        expect(redact(url), url).not.toContain(secret)
        expect(JSON.stringify(explain(url)), url).not.toContain(secret)
      },
    ),
    { numRuns: 2000 },
  )
})

test('numeric spellings of one address agree across all schemes', () => {
  const spell = (address: number): string[] => {
    const parts = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255)
    return [
      parts.join('.'),
      String(address),
      `0x${address.toString(16)}`,
      parts.map((part) => `0${part.toString(8)}`).join('.'),
      `${parts[0]}.${address % 2 ** 24}`,
    ]
  }
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      fc.constantFrom('http', 'gopher', 'ftp', 'telnet'),
      (address, name) => {
        const hosts = spell(address).map((host) => resolve(`${name}://${host}/`).plan)
        expect(new Set(hosts.map((plan) => 'host' in plan && plan.host)).size).toBe(1)
      },
    ),
  )
})

/** Not a stopwatch: only what is quadratic or worse on 64 KiB takes this long. */
test('time grows no faster than the text', { timeout: 10_000 }, () => {
  const seeds = [
    '%0d',
    '%09',
    '@',
    ':',
    '/',
    '../',
    '[',
    ';type=',
    '?',
    '=',
    'a.',
    '0',
    '%',
    'x://u:',
    ':a@',
    '-',
    '&token=',
    'ü',
    '.',
    '\\',
  ]
  for (const seed of seeds) {
    const long = seed.repeat(65_000 / seed.length)
    for (const head of ['http://h/', 'ftp://', 'gopher://h/0', 'gopher://h/0%09%09+', 'news:', 'http://h/?', '']) {
      explain(head + long, { base: `http://a/${'b/'.repeat(1000)}` })
      redact(head + long)
    }
  }
})
