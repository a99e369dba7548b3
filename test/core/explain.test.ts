import { connect, Socket } from 'node:net'
import { domainToASCII } from 'node:url'
import { explain, formatExplanation, RetrievalError } from '@retriever/core'
import { quoteWire } from '@retriever/core/internal'
import { afterEach, describe, expect, test, vi } from 'vitest'

afterEach(() => vi.restoreAllMocks())

/** Strings, so that the order of keys and null against "" are compared too. */
const documented: [string, string][] = [
  [
    'ftp://myname@host.dom/%2Fetc/motd',
    `{"url":"ftp://myname@host.dom/%2Fetc/motd","scheme":"ftp","mechanism":"ftp",` +
      `"locator":{"user":"myname","password":null,"host":"host.dom","port":21,"urlPath":"%2Fetc/motd","query":null,"fragment":null},` +
      `"plan":{"mechanism":"ftp","host":"host.dom","port":21,"tls":"none","user":"myname","password":null,"cwd":["/etc"],"name":"motd","typecode":null,` +
      `"wire":["USER myname\\r\\n","PASS <password>\\r\\n","CWD /etc\\r\\n","TYPE I\\r\\n","SIZE motd\\r\\n","MDTM motd\\r\\n","EPSV\\r\\n","RETR motd\\r\\n"]},` +
      `"findings":[{"code":"cleartext-secret","severity":"warning","message":"The password of \\"myname\\" would cross the network unencrypted. Use a scheme with TLS where the server has one.","span":[6,12],"rule":"RFC 1738 6"}]}`,
  ],
  [
    'gopher://h/7/s%09two%20words',
    `{"url":"gopher://h/7/s%09two%20words","scheme":"gopher","mechanism":"gopher",` +
      `"locator":{"user":null,"password":null,"host":"h","port":70,"urlPath":"7/s%09two%20words","query":null,"fragment":null},` +
      `"plan":{"mechanism":"gopher","host":"h","port":70,"tls":"none","gophertype":"7","selector":"/s","search":"two words","gopherPlus":null,` +
      `"wire":["/s\\ttwo words\\r\\n"]},"findings":[]}`,
  ],
  [
    'nntp://h/g.a/12',
    `{"url":"nntp://h/g.a/12","scheme":"nntp","mechanism":"nntp",` +
      `"locator":{"user":null,"password":null,"host":"h","port":119,"urlPath":"g.a/12","query":null,"fragment":null},` +
      `"plan":{"mechanism":"nntp","host":"h","port":119,"tls":"none","user":null,"password":null,"select":"article","newsgroup":"g.a","articleNumber":12,"messageId":null,` +
      `"wire":["GROUP g.a\\r\\n","ARTICLE 12\\r\\n"]},"findings":[{"code":"server-specific","severity":"notice",` +
      `"message":"The number of the article has a meaning on this server only. To pass it on, name the article by a news URL with its message-id.",` +
      `"span":[9,15],"rule":"RFC 1738 3.7"}]}`,
  ],
  [
    'https://h/x?#',
    `{"url":"https://h/x?#","scheme":"https","mechanism":"http",` +
      `"locator":{"user":null,"password":null,"host":"h","port":443,"urlPath":"x","query":"","fragment":""},` +
      `"plan":{"mechanism":"http","host":"h","port":443,"tls":"implicit","target":"/x?","user":null,"password":null,` +
      `"wire":["GET /x? HTTP/1.1\\r\\nHost: h\\r\\nConnection: keep-alive\\r\\nUser-Agent: Retriever/0.2\\r\\nAccept: */*\\r\\nAccept-Encoding: identity\\r\\n\\r\\n"],"unknown":{"HTTP/1.1":"HTTP/2, if the server chooses it within TLS: the same fields in binary frames"}},"findings":[]}`,
  ],
  [
    'file:///etc/motd',
    `{"url":"file:///etc/motd","scheme":"file","mechanism":"file",` +
      `"locator":{"user":null,"password":null,"host":"","port":null,"urlPath":"etc/motd","query":null,"fragment":null},` +
      `"plan":{"mechanism":"file","host":"","path":"/etc/motd","wire":[]},"findings":[]}`,
  ],
  [
    'telnet://h',
    `{"url":"telnet://h","scheme":"telnet","mechanism":"telnet",` +
      `"locator":{"user":null,"password":null,"host":"h","port":23,"urlPath":null,"query":null,"fragment":null},` +
      `"plan":{"mechanism":"telnet","host":"h","port":23,"tls":"none","user":null,"password":null,"wire":[]},` +
      `"findings":[{"code":"no-data-object","severity":"notice","message":"The URL names a service or an action, so there is no data to retrieve. Open it instead of retrieving it.","span":[0,6],"rule":"RFC 4248"}]}`,
  ],
]

describe('the documented record, key for key', () => {
  test.each(documented)('%s', (url, json) => {
    expect(JSON.stringify(explain(url))).toBe(json)
  })

  test('of a broken URL', () => {
    expect(JSON.stringify(explain('http://h/%zz'))).toMatch(
      /^\{"url":"http:\/\/h\/%zz","error":\{"code":"malformed-url","message":"[^"]+","span":\[9,12\]\}\}$/,
    )
  })

  test('of an unknown scheme', () => {
    expect(explain('alice:S3CR3T@host/x')).toMatchObject({ url: 'alice:***@host/x', error: { code: 'unknown-scheme' } })
    expect(explain('zap://h/')).toMatchObject({ url: 'zap://h/', error: { code: 'unknown-scheme', span: [0, 3] } })
  })

  test('of an empty user, which is not an absent one', () => {
    expect(explain('ftp://@h/')).toMatchObject({ locator: { user: '', password: null } })
    expect(explain('ftp://u:@h/')).toMatchObject({ locator: { user: 'u', password: '' } })
    expect(explain('ftp://h/')).toMatchObject({ locator: { user: null, urlPath: '' } })
    expect(explain('ftp://h')).toMatchObject({ locator: { urlPath: null } })
  })
})

test('no socket is opened and no name looked up', () => {
  const opened = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
    throw new Error('a socket was opened')
  })
  expect(() => connect(1)).toThrow('a socket was opened')
  opened.mockClear()
  for (const [url] of documented) explain(url)
  expect(opened).not.toHaveBeenCalled()
})

describe('case 47, secrets', () => {
  const urls = [
    'ftp://u:s3cr3t@h/x',
    'ftps://u:s3cr3t@h/x',
    'http://u:s3cr3t@h/x',
    'nntp://u:s3cr3t@h/g',
    'telnet://u:s3cr3t@h/',
    'http://h/?token=s3cr3t',
    'ftp://u:s3cr3t@h/%zz',
    'zap://u:s3cr3t@h/',
    'ftp://u:s3cr3t@@h/',
    'http://u:s3cr3t @h/',
    'gopher://u:s3cr3t@h/',
  ]

  test.each(urls)('%s is shown without', (url) => {
    const explanation = explain(url)
    expect(JSON.stringify(explanation)).not.toContain('s3cr3t')
    expect(formatExplanation(explanation)).not.toContain('s3cr3t')
  })

  test('a hidden password is ***, and stands as <password> on the wire', () => {
    expect(explain('ftp://u:pw@h/x')).toMatchObject({
      url: 'ftp://u:***@h/x',
      locator: { password: '***' },
      plan: { password: '***', wire: expect.arrayContaining(['PASS <password>\r\n']) },
    })
  })
})

test('a defect is not taken for a bad URL', () => {
  const broken = { ...findBroken(), resolve: () => JSON.parse('{') }
  expect(() => explain('broken://h/', { schemes: [broken] })).toThrow(SyntaxError)
})

function findBroken() {
  return {
    name: 'broken',
    title: 'Broken',
    spec: 'none',
    mechanism: 'http' as const,
    defaultPort: 1,
    tls: 'none' as const,
    host: 'required' as const,
    userinfo: 'forbidden' as const,
    query: true,
    lineParts: [],
  }
}

describe('as text', () => {
  test('what it means, where it goes, what is sent, what to know', () => {
    expect(formatExplanation(explain('ftp://myname@host.dom/%2Fetc/motd'))).toBe(
      [
        'ftp://myname@host.dom/%2Fetc/motd',
        '  is       File Transfer Protocol (RFC 1738 3.2)',
        '  means    user "myname", cwd ["/etc"], name "motd"',
        '  goes to  host.dom, TCP port 21',
        '  sends    USER myname\\r\\n',
        '           PASS <password>\\r\\n',
        '           CWD /etc\\r\\n',
        '           TYPE I\\r\\n',
        '           SIZE motd\\r\\n',
        '           MDTM motd\\r\\n',
        '           EPSV\\r\\n',
        '           RETR motd\\r\\n',
        '  warning  The password of "myname" would cross the network unencrypted. Use a scheme with TLS where the server has one. [cleartext-secret, RFC 1738 6]',
        '',
      ].join('\n'),
    )
  })

  test('of a broken URL', () => {
    expect(formatExplanation(explain('http://h/%zz'))).toMatch(/^http:\/\/h\/%zz\n {2}http.+%25.+\.\n$/)
  })

  test('drives no terminal', () => {
    for (const url of [
      'http://h/\x1B[2J',
      'gopher://h/0%1B%5B2J%9B',
      'ftp://%1B%5B2J@h/%1B%5D0;x%07',
      'file:///%1B%9B',
    ]) {
      expect(formatExplanation(explain(url)), url).not.toMatch(/[\0-\x09\x0B-\x1F\x7F-\x9F]/)
    }
  })

  test('quoteWire shows every octet', () => {
    expect(quoteWire('/s\tq\\\xFF\x00\r\n')).toBe('/s\\tq\\\\\\xff\\x00\\r\\n')
  })
})

test('explain never throws a RetrievalError', () => {
  for (const url of ['', ':', 'http:', 'http://', '\0', '%', 'a'.repeat(100_000)]) {
    expect(explain(url), url.slice(0, 10)).toHaveProperty('error.code')
  }
  expect(RetrievalError.is(new Error())).toBe(false)
})

test.each([
  ['x-foo:bar', 'Names that begin with x- are for experiments'],
  ['this:that', 'A relative reference is written with ./ before it.'],
  ['URL:http://h/', 'leave it out'],
])('%s is no scheme that is known, and the error says what it may be', (url, said) => {
  expect(explain(url)).toMatchObject({ error: { code: 'unknown-scheme', message: expect.stringContaining(said) } })
})

test('a scheme that is not known, with a host, is no relative reference', () => {
  expect(JSON.stringify(explain('zap://h/'))).not.toContain('./')
})

test('the parameters of each segment are data, undecoded and without secrets', () => {
  expect(explain('http://h/a;v=1/b;c;d=;e=f=%20')).toMatchObject({
    parameters: [
      { segment: 'a', name: 'v', value: '1' },
      { segment: 'b', name: 'c', value: null },
      { segment: 'b', name: 'd', value: '' },
      { segment: 'b', name: 'e', value: 'f=%20' },
    ],
  })
  expect(explain('http://h/a?b;c')).not.toHaveProperty('parameters')
  // A ; has no such meaning in Prospero's names and in selectors of Gopher.
  expect(explain('gopher://h/1a;b=c')).not.toHaveProperty('parameters')
})

test.each([
  ['of UTF-8 are characters', 'ftp://h/%C3%A9', 'name "é"'],
  ['of no UTF-8 are escapes', 'ftp://h/%E9', 'name "%E9"'],
  ['of no UTF-8 beside a % are told from it', 'ftp://h/%25E9%E9', 'name "%25E9%E9"'],
  ['that are a % alone stay', 'ftp://h/%25E9', 'name "%E9"'],
  ['of a list are read one by one', 'ftp://h/%C3%A9/%E9/a', 'cwd ["é","%E9"]'],
  ['that turn text around are named', 'ftp://h/a%E2%80%AEb', 'name "a\\u202eb"'],
  ['of a path that is sent escaped stay so', 'http://h/%C3%A9', 'target "/%C3%A9"'],
])('octets %s in the text of explain', (_what, url, shown) => {
  expect(formatExplanation(explain(url))).toContain(shown)
})

test('explain names what no plan has a field for: parameters and the fragment', () => {
  const text = formatExplanation(explain('http://h/a;v=1/b;c?q#frag'))
  expect(text).toContain('parameters ["v=1","c"], fragment "frag"')
  expect(formatExplanation(explain('http://h/a'))).not.toMatch(/parameters|fragment/)
})

test('the password of a News server that is none is not told', () => {
  const explained = explain('news:a', { defaults: { newsServer: 'news://u:S3CR3T@h' } })
  expect(JSON.stringify(explained)).toContain('is no News server')
  expect(JSON.stringify(explained)).not.toContain('S3CR3T')
})

test.each([
  ['http://h/a b<c>', 'http://h/a%20b%3Cc%3E'],
  ['http://bücher.example:8080/grüße?ä#ö', 'http://xn--bcher-kva.example:8080/gr%C3%BC%C3%9Fe?%C3%A4#%C3%B6'],
  ['info:(gcc)G++ and GCC', 'info:(gcc)G++%20and%20GCC'],
])('%s is shown in its escaped form', (url, escaped) => {
  const text = formatExplanation(explain(url, { domainToAscii: domainToASCII }))
  expect(text).toContain(`\n  written  ${escaped}\n`)
})

test.each(['http://h/a%20b', 'ftp://u:p@h:21/x', 'http://[::1]/', 'news:*'])('%s is in that form', (url) => {
  expect(formatExplanation(explain(url))).not.toContain('written')
})
