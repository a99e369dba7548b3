import { domainToASCII } from 'node:url'
import { builtinSchemes, explain, findingCodes, type ResolveOptions, resolve } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { webUrl } from '../../packages/fetchers/src/kit/web-url.ts'

/** All that can be asked of core. */
const options: ResolveOptions = {
  domainToAscii: domainToASCII,
  whatwgHost: (url) => webUrl(url)?.hostname ?? null,
}

/** threats.md section 2, "warning budget": a plain session prints no warning. */
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
  'mailto:joe@example.com?subject=hello&cc=bob@example.com',
  'ldap://ldap.example.net/o=University%20of%20Michigan,c=US??sub?(cn=Babs%20Jensen)',
  'data:,A%20brief%20note',
  'cid:foo4*foo1@bar.net',
  'urn:ietf:rfc:8141',
  'nfs://server/d/e/f',
  'tn3270://host.example/',
  'wais://host.example/bible?ark',
  'prospero://example.com//pros/name',
  'z39.50r://melvyl.ucop.edu/mags?elecworld.v30.n19',
  'man:ls(1)',
  'info:gcc#G++_and_GCC',
  'whatis:copy',
  'rtsp://media.example.com/twister',
  'irc://irc.example.net/linux',
  'sftp://alice@host.example/dir/file',
  'dict://dict.org/d:shortcake',
  'finger://host.example/bob',
  'gemini://geminiprotocol.net/docs/',
  'afs://cell.example/dir/file',
]

test('cases 56 and 75, 40 ordinary URLs give no warning', () => {
  expect(ordinary).toHaveLength(40)
  for (const url of ordinary) {
    const { findings } = resolve(url, options)
    expect(
      findings.filter(({ severity }) => severity !== 'notice'),
      url,
    ).toEqual([])
  }
})

/** The sources that a rule or a scheme may cite. */
const specification = /^(RFC \d+|by convention|uri\(7\)|draft-[a-z0-9-]+-\d\d|MQTT 3\.1\.1|Gemini \d)/

test('every finding has a known code, a sentence, a span within the URL, and a rule', () => {
  const urls = [
    'ftp://bank.example:pw@0x7f.1:25/a%0d%0ab c;x',
    'telnet://-l:p@h:99/',
    'gopher://h:6379/1a%0A<',
    'file://other/x',
    'ldap://h/o=x????!crit',
    'snews:a.b',
    'http://раураl.com:8080/',
    'ftp://u:p@h:81/',
    'mailto:a@b?bcc=c@d&subject=x%0D%0Ay',
    'mailto:a@b%0AX?&attach=/etc/passwd',
    'whatis:-C/tmp/e',
    'info:gcc#--output=x',
    'wais://h:6379/db?a%0Ab',
    'z39.50://u.example:9/db',
    'dict://h/d:a%0Db',
    'irc://-x@h:25/c?key=%00',
    'nntp://h_1/a.b/12',
    'news:1abc',
    'ftp://:p@h/',
  ]
  // Where parsers really part we give an error; so the other one is made up here.
  const elsewhere = { ...options, whatwgHost: () => 'elsewhere.example' }
  const seen = new Set<string>()
  for (const [index, url] of urls.entries()) {
    for (const finding of resolve(url, index === 0 ? elsewhere : options).findings) {
      const [start, end] = finding.span
      expect(findingCodes).toHaveProperty(finding.code)
      expect(finding.message).toMatch(/^[\S].+\.$/)
      expect(finding.remedy).toMatch(/^[A-Z].+\.$/)
      expect(finding.rule).toMatch(specification)
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

test('case 75, a password on loopback is a notice', () => {
  expect(resolve('ftp://u:p@localhost/').findings).toMatchObject([{ code: 'password-in-url', severity: 'notice' }])
})

describe('the table of schemes', () => {
  test.each(builtinSchemes.map((scheme) => [scheme.name, scheme] as const))('%s', (name, scheme) => {
    expect(name).toMatch(/^[a-z][a-z0-9+.-]*$/)
    expect(scheme.title).toMatch(/^[A-Z]/)
    expect(scheme.spec).toMatch(specification)
    // A host that is dialled has a port; what has none, has no port.
    if (scheme.host === 'none' || scheme.host === 'socket') expect(scheme.defaultPort).toBeNull()
    if (scheme.host === 'required') expect(scheme.defaultPort).toBeGreaterThan(0)
    if (scheme.tls === 'implicit') expect(scheme.host).not.toBe('none')
    expect(scheme.ownPorts ?? []).not.toContain(scheme.defaultPort)
    // A sentence, or the beginning of one, for people.
    for (const sentence of [scheme.hint, scheme.deprecated]) {
      if (sentence !== undefined) expect(sentence).toMatch(/^[\w.]+ .+\.$/)
    }
  })

  test('names are unique', () => {
    expect(new Set(builtinSchemes.map(({ name }) => name)).size).toBe(builtinSchemes.length)
  })
})

test.each(['gopher://bücher.example/1', 'gopher://ex%61mple.org/', 'gopher://127.1/', 'http://[::ffff:1.2.3.4]/'])(
  'a spelling alone is no disagreement: %s',
  (url) => expect(resolve(url, options).findings.map(({ code }) => code)).not.toContain('parser-disagreement'),
)

test.each([
  ['http:\\\\evil.example\\@good.example/', 'evil.example'],
  ['http:///evil.example/', 'evil.example'],
  ['http:evil.example/', 'evil.example'],
])('the error of %s says whom a browser would contact', (url, host) => {
  const explanation = explain(url, options)
  expect('error' in explanation && explanation.error.message).toContain(`would contact ${host}.`)
})

describe("another protocol's port is no danger for a request in a binary frame", () => {
  const severity = (url: string): string | undefined =>
    resolve(url, options).findings.find(({ code }) => code === 'foreign-port')?.severity

  test.each([
    [
      "uri(7)'s own example",
      'ldap://host.com:6666/o=University%20of%20Michigan,c=US??sub?(cn=Babs%20Jensen)',
      'warning',
    ],
    ['a directory behind TLS', 'ldaps://h:25/x', 'warning'],
    // The length before these is the octet of a line feed or a carriage return, and the text would begin a line.
    ['a dn of 10 octets', 'ldap://h:6379/FLUSHALL%20%20', 'danger'],
    ['a dn of 266 octets', `ldap://h:25/${'a'.repeat(266)}`, 'danger'],
    ['an attribute of 13', 'ldap://h:25/x?abcdefghijklm', 'danger'],
    ['a value of 10 in a filter', 'ldap://h:25/x???(a=FLUSHALL%20%20)', 'danger'],
    ['a part of 10 in a substring filter', 'ldap://h:25/x???(a=b*FLUSHALL%20%20*)', 'danger'],
    ['an escaped value of 10', 'ldap://h:25/x???(a=%5C46LUSHALL%20%20)', 'danger'],
    ['a line protocol', 'gopher://h:6666/0x', 'danger'],
    ['FTP', 'ftp://h:25/x', 'danger'],
  ])('%s: %s', (_, url, expected) => {
    expect(severity(url)).toBe(expected)
  })
})

test('where the WHATWG parser refuses a URL, that is a disagreement; of a zone it knows nothing', () => {
  const refusing = { ...options, whatwgHost: () => null }
  const found = (url: string): string[] => resolve(url, refusing).findings.map(({ message }) => message)
  expect(found('gopher://ex_ample/')).toEqual([
    expect.stringContaining('the WHATWG parser, which browsers use, refuses'),
    expect.stringContaining('A label'),
  ])
  expect(found('http://[fe80::1%25eth0]/')).toEqual([])
})

test.each([
  ['http://h:8080/', 'The URL asks for port 8080; http normally uses 80.'],
  [
    'http://h:1023/',
    'The URL asks for port 1023, which is below 1024, where other services run; http normally uses 80.',
  ],
  ['http://h:1024/', 'The URL asks for port 1024; http normally uses 80.'],
  ['x-own://h:8080/', 'The URL asks for port 8080.'],
])('%s: %s', (url, message) => {
  const { findings } = resolve(url, { gateways: { 'x-own': 'https://gateway.example/?{url}' } })
  expect(findings.map((finding) => finding.message)).toEqual([message])
})

test.each([
  ['www.bank', true],
  ['awww.bank', false],
  ['10.20.30.40', true],
  ['127.0.0.1', true],
  ['1.2.3', false],
  ['v10.20.30.40', false],
  ['10.20.30.40v', false],
  ['1000.20.30.40', false],
  ['10.20.30.a', false],
  ['john.doe', false],
  ['bank.example', true],
  ['bank.example.', false],
  ['.com', false],
  ['bank.com:', true],
])('whether the user "%s" looks like a host: %s', (user, looks) => {
  const { findings } = resolve(`https://${user}@h/`)
  expect(findings.some(({ code }) => code === 'misleading-userinfo')).toBe(looks)
})

test('an alphabet mixed by escapes is seen, too', () => {
  const { findings } = resolve('http://%D1%80aypal.com/', { domainToAscii: domainToASCII })
  expect(findings.map(({ code }) => code)).toEqual(['confusable-host'])
})

describe('what a program would read as an option is pointed at', () => {
  test.each([
    ['info:gcc#-x', '-x'],
    ['info:(gcc)-x#y', '-x'],
    ['info:%28gcc%29%2Dx', '%2Dx'],
    ['info:(-f)x', '-f)x'],
    ['info:-f#-x', '-f'],
    ['toc:-x', '-x'],
    ['man:/-k', '-k'],
    ['whatis:%2D%2Dall', '%2D%2Dall'],
    ['ghelp:-x?-y', '-x'],
    ['ghelp:x#-y', '-y'],
  ])('%s: %s', (url, culprit) => {
    const [found] = resolve(url).findings.filter(({ code }) => code === 'option-injection')
    expect(url.slice(...(found?.span ?? [0, 0]))).toBe(culprit)
  })
})

test.each([
  ['ftp://h/a%0Db', 'The path holds an encoded CR,'],
  ['gopher://h/0a%0D%0Ab', 'The selector or search holds an encoded CR LF,'],
  ['ftp://u%00:p@h/', 'The user holds an encoded NUL,'],
  ['wais://h/d?%0A', 'holds an encoded LF,'],
])('%s: the part is named', (url, words) => {
  const messages = resolve(url).findings.map(({ message }) => message)
  expect(messages).toContainEqual(expect.stringContaining(words))
})

describe('with a base, spans are in the reference as given', () => {
  const culprits = (reference: string, base: string): string[] =>
    resolve(reference, { base }).findings.map(({ code, span }) => `${code} ${reference.slice(...span)}`)

  test.each([
    ['../x%0Ay', 'ftp://h/a/b/', ['encoded-delimiter %0A']],
    ['x%0Ay', 'gopher://h:6379/0/a/', ['foreign-port x%0Ay', 'encoded-delimiter %0A']],
    ['//u:pw@h2/x', 'ftp://h/', ['password-in-url pw', 'cleartext-secret u']],
    ['b c', 'http://h/a/', ['unsafe-character  c']],
  ])('%s against %s', (reference, base, expected) => {
    expect(culprits(reference, base)).toEqual(expected)
  })

  test('of an error, too', () => {
    expect(explain('x%zz', { base: 'http://h/a/b' })).toMatchObject({ url: 'x%zz', error: { span: [1, 4] } })
    expect(explain('x', { base: 'http://h:x/' })).toMatchObject({ error: { span: [0, 1] } })
  })
})
