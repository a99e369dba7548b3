import { domainToASCII } from 'node:url'
import { builtinSchemes, findingCodes, resolve } from '@retriever/core'
import { describe, expect, test } from 'vitest'

/** security.md section 2, "warning budget": a plain session prints no warning. */
const ordinary = [
  'http://www.example.org/',
  'https://www.example.org/a/b?c=d&e=f#g',
  'http://localhost:8080/',
  'http://127.0.0.1:81/',
  'http://[::1]:3000/x',
  'https://example.org:8443/',
  'http://example.org/~user/index.html',
  'https://bücher.example/grüße',
  'ftp://ftp.gnu.org/gnu/',
  'ftp://ftp.gnu.org/gnu/README;type=a',
  'ftp://anonymous@ftp.example.org/pub/x',
  'ftp://localhost:2121/x',
  'ftps://alice@ftp.example.org/x',
  'gopher://gopher.example.org/1/docs',
  'gopher://gopher.example.org/7/search%09two%20words',
  'gopher://localhost:7070/0/x',
  'news://news.example.org/comp.lang.c',
  'nntp://news.example.org/comp.lang.c/12',
  'telnet://library.example.org/',
  'file:///etc/motd',
]

test('20 ordinary URLs give no warning', () => {
  expect(ordinary).toHaveLength(20)
  for (const url of ordinary) {
    const { findings } = resolve(url, { domainToAscii: domainToASCII })
    expect(
      findings.filter(({ severity }) => severity !== 'notice'),
      url,
    ).toEqual([])
  }
})

test('every finding has a known code, a sentence, a span within the URL, and a rule', () => {
  const urls = [
    'ftp://bank.example:pw@0x7f.1:25/a%0d%0ab c;x',
    'telnet://-l:p@h:99/',
    'gopher://h:6379/1a%0A<',
    'file://other/x',
    'snews:a.b',
    'http://раураl.com:8080/',
    'ftp://u:p@h:81/',
  ]
  const seen = new Set<string>()
  for (const url of urls) {
    for (const finding of resolve(url, { domainToAscii: domainToASCII }).findings) {
      const [start, end] = finding.span
      expect(findingCodes).toHaveProperty(finding.code)
      expect(finding.message).toMatch(/^[\S].+\.$/)
      expect(finding.rule).toMatch(/^(RFC \d+|uri\(7\))/)
      expect(start, finding.code).toBeGreaterThanOrEqual(0)
      expect(end, finding.code).toBeLessThanOrEqual(url.length)
      expect(end, finding.code).toBeGreaterThan(start)
      seen.add(finding.code)
    }
  }
  expect([...seen].sort()).toEqual(Object.keys(findingCodes).sort())
})

test('the gravest stands first', () => {
  const { findings } = resolve('ftp://u:p@h:8021/a%0Ab c')
  expect(findings.map(({ severity }) => severity)).toEqual(['danger', 'warning', 'warning', 'notice', 'notice'])
})

test('a span points at the culprit', () => {
  const url = 'ftp://u:p@h:25/a%0D%0Ab'
  const culprits = Object.fromEntries(resolve(url).findings.map(({ code, span }) => [code, url.slice(...span)]))
  expect(culprits).toEqual({
    'encoded-delimiter': '%0D%0A',
    'foreign-port': '25',
    'password-in-url': 'p',
    'cleartext-secret': 'u',
  })
})

test('a password on loopback is a notice', () => {
  expect(resolve('ftp://u:p@localhost/').findings).toMatchObject([{ code: 'password-in-url', severity: 'notice' }])
})

describe('the table of schemes', () => {
  test.each(builtinSchemes.map((scheme) => [scheme.name, scheme] as const))('%s', (name, scheme) => {
    expect(name).toMatch(/^[a-z][a-z0-9+.-]*$/)
    expect(scheme.title).toMatch(/^[A-Z]/)
    expect(scheme.spec).toMatch(/^RFC \d+/)
    if (scheme.host !== 'none' && scheme.defaultPort !== null) expect(scheme.defaultPort).toBeGreaterThan(0)
  })

  test('names are unique', () => {
    expect(new Set(builtinSchemes.map(({ name }) => name)).size).toBe(builtinSchemes.length)
  })
})
