/** Case 44 of docs/internals/security.md: no regular expression takes more than linear time on the octets of a peer. */
import { expect, test } from 'vitest'
import { inputOf, regexpsIn, shapesFor, slowShape } from '../support/pump.ts'

const { literals, made } = regexpsIn('packages/core/src', 'packages/fetchers/src')

/** Slow on some long input, and never given one. */
const exempted: readonly { readonly file: string; readonly source: string; readonly reason: string }[] = [
  {
    file: 'packages/fetchers/src/http/errors.ts',
    source: String.raw`NGHTTP2_(\w+)$`,
    reason: 'It reads an error message of Node, which holds nothing that a server sent.',
  },
  {
    file: 'packages/fetchers/src/http/errors.ts',
    source: String.raw`\((.*)\)`,
    reason: 'It reads an error message of undici, which holds nothing that a server sent.',
  },
  {
    file: 'packages/fetchers/src/wire/transport/socket-error.ts',
    source: 'ALERT_(.*)$',
    reason: 'It reads an error code of Node: one of a fixed list of names.',
  },
  {
    file: 'packages/fetchers/src/wire/transport/ipv6-octets.ts',
    source: String.raw`\d+\.\d+\.\d+\.\d+$`,
    reason: 'It reads an IPv6 address that net.isIP has accepted: at most 45 characters.',
  },
]

/** The constructor is for these alone: the test sees what literals are, and not what comes of other texts. */
const constructed: Readonly<Record<string, string>> = {
  'packages/core/src/secrets/redact.ts': 'Classes of one character, and digits from one place on (sticky).',
  'packages/core/src/secrets/secret-names.ts':
    'A list of words behind an anchor; what may stand before them is one class.',
  'packages/core/src/url/host.ts': 'It looks for a run of the eight groups of an IPv6 address.',
  'packages/fetchers/src/http/index-page/facts.ts':
    'Dates and sizes in the text of one row, which links.ts keeps short.',
  'packages/fetchers/src/http/index-page/title.ts': 'Lists of words, in a title that TitleScanner keeps short.',
  'packages/fetchers/src/result/disposition.ts':
    'A parameter of a header field, from one place on (sticky); its parts begin with different characters.',
}

test('every expression stays under 50 ms on 64 KiB of any shape', { timeout: 300_000 }, () => {
  const slow = literals.flatMap(({ file, regexp }) => {
    if (exempted.some((each) => each.file === file && each.source === regexp.source)) return []
    const shape = slowShape(regexp)
    return shape === undefined ? [] : [{ file, regexp: String(regexp), ...shape }]
  })
  expect(slow).toEqual([])
})

test('an exemption that no expression needs any more is taken out', () => {
  const unused = exempted.filter(
    ({ file, source }) => !literals.some((each) => each.file === file && each.regexp.source === source),
  )
  expect(unused).toEqual([])
  expect([...new Set(made)]).toEqual(Object.keys(constructed))
})

test('the expressions are found, and each has some 60 shapes or more', () => {
  expect(literals.length).toBeGreaterThan(300)
  const files = new Set(literals.map(({ file }) => file))
  for (const file of ['core/src/url/percent.ts', 'fetchers/src/plugin/options.ts', 'fetchers/src/gopher/menu.ts']) {
    expect(files).toContain(`packages/${file}`)
  }
  const shapes = literals.map(({ regexp }) => shapesFor(regexp).length)
  expect(shapes.reduce((sum, count) => sum + count, 0) / shapes.length).toBeGreaterThan(60)
  expect(inputOf({ head: 'h', pump: 'ab', tail: 't' }, 5)).toBe('hababat')
})

test.each([
  ['exponential', /(a+)+$/],
  ['exponential behind an anchor', /^(\w+\s?)*$/],
  ['cubic, behind what it wants first', /<(\/?[a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi],
  ['quadratic: the end is looked for from each place', /\s+$/],
  ['quadratic over a word', /(?:\. )+$/],
  ['quadratic behind a head', /^Directory [^ \t]*\[[^ \t]*\]$/],
])('%s time is seen', (_, regexp) => {
  expect(slowShape(regexp)).toMatchObject({ milliseconds: expect.any(Number) })
})
