/** The table of programs: each scheme on each platform, with hostile URLs, and the policy before it. */
import { builtinSchemes, resolve } from '@retriever/core'
import { createClient, type Handoff, type HandoffOptions, handoffOf } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { stride } from '../support/runs.ts'

const platforms = ['linux', 'darwin', 'win32', 'freebsd'] as const
type Platform = (typeof platforms)[number]

/** The error that a call throws. */
function thrown(call: () => unknown): unknown {
  try {
    return expect.fail(`it gave ${JSON.stringify(call())}`)
  } catch (error) {
    return error
  }
}

function handed(url: string, platform: Platform = 'linux'): Handoff {
  return handoffOf(resolve(url), { platform })
}

/** All programs that a handoff names, with the arguments of each. */
function allArgs({ program, args, argsWithUser, alternatives = [] }: Handoff): string[][] {
  return [{ program, args, argsWithUser }, ...alternatives].flatMap((each) => [
    [each.program, ...each.args],
    ...(each.argsWithUser === undefined ? [] : [[each.program, ...each.argsWithUser]]),
  ])
}

test.each<[url: string, linux: string[], darwin: string[], win32: string[]]>([
  [
    'telnet://h.example:2323/',
    ['telnet', '--', 'h.example', '2323'],
    ['telnet', '--', 'h.example', '2323'],
    ['telnet', 'h.example', '2323'],
  ],
  ['tn3270://h.example/', ['c3270', 'h.example:23'], ['c3270', 'h.example:23'], ['wc3270', 'h.example:23']],
  // A letter before a colon asks c3270 for TLS, a proxy or the like.
  ['tn3270://L:992/', ['c3270', '[l]:992'], ['c3270', '[l]:992'], ['wc3270', '[l]:992']],
  [
    'gopher://h.example/8guest',
    ['telnet', '--', 'h.example', '23'],
    ['telnet', '--', 'h.example', '23'],
    ['telnet', 'h.example', '23'],
  ],
  ['gopher://h.example/T', ['c3270', 'h.example:23'], ['c3270', 'h.example:23'], ['wc3270', 'h.example:23']],
  [
    'irc://h.example/chat',
    ['weechat', 'irc://h.example:6667/#chat'],
    ['weechat', 'irc://h.example:6667/#chat'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'irc://h.example/chat'],
  ],
  [
    'ircs://h.example:7000/%23chat?key=secret',
    ['weechat', 'ircs://h.example:7000/#chat'],
    ['weechat', 'ircs://h.example:7000/#chat'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'ircs://h.example:7000/%23chat'],
  ],
  [
    'irc://h.example/someone,isnick',
    ['weechat', 'irc://h.example:6667'],
    ['weechat', 'irc://h.example:6667'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'irc://h.example/someone,isnick'],
  ],
  [
    'sftp://h.example/pub/a.txt',
    ['sftp', '-P', '22', '--', 'h.example:/pub/'],
    ['sftp', '-P', '22', '--', 'h.example:/pub/'],
    ['sftp', '-P', '22', '--', 'h.example:/pub/'],
  ],
  [
    'man:ls(1)',
    ['man', '--', '1', 'ls'],
    ['man', '--', '1', 'ls'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'man:ls%281%29'],
  ],
  [
    'man:(index)',
    ['man', '-k', '--', '.'],
    ['man', '-k', '--', '.'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'man:%28index%29'],
  ],
  [
    'info:(gcc)Invoking GCC',
    ['info', '-f', 'gcc', '-n', 'Invoking GCC'],
    ['info', '-f', 'gcc', '-n', 'Invoking GCC'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'info:%28gcc%29Invoking%20GCC'],
  ],
  [
    'whatis:copy',
    ['whatis', '--', 'copy'],
    ['whatis', '--', 'copy'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'whatis:copy'],
  ],
  [
    'ghelp:gnumeric',
    ['yelp', '--', 'ghelp:gnumeric'],
    ['open', 'ghelp:gnumeric'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'ghelp:gnumeric'],
  ],
  [
    'rtsp://h.example/a',
    ['mpv', '--', 'rtsp://h.example/a'],
    ['open', 'rtsp://h.example/a'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'rtsp://h.example/a'],
  ],
  [
    'http://h.example/a?b=c&d#e',
    ['xdg-open', 'http://h.example/a?b=c&d#e'],
    ['open', 'http://h.example/a?b=c&d#e'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'http://h.example/a?b=c&d#e'],
  ],
  [
    'mailto:joe@h.example?subject=two%20words',
    ['xdg-open', 'mailto:joe@h.example?subject=two%20words'],
    ['open', 'mailto:joe@h.example?subject=two%20words'],
    ['rundll32', 'url.dll,FileProtocolHandler', 'mailto:joe@h.example?subject=two%20words'],
  ],
])('%s', (url, ...expected) => {
  for (const [index, platform] of (['linux', 'darwin', 'win32'] as const).entries()) {
    const { program, args } = handed(url, platform)
    expect([program, ...args]).toEqual(expected[index])
  }
  // Other systems are relatives of Linux.
  expect(handed(url, 'freebsd')).toEqual(handed(url))
})

test('where there is no xdg-open, gio does the same', () => {
  expect(handed('http://h.example/').alternatives).toEqual([
    { program: 'gio', args: ['open', '--', 'http://h.example/'], install: expect.stringContaining('libglib2.0-bin') },
  ])
})

test.each([
  ['telnet://alice:s3cret@h.example/', { user: 'alice', argsWithUser: ['-l', 'alice', '--', 'h.example', '23'] }],
  ['tn3270://alice@h.example/', { user: 'alice', argsWithUser: undefined }],
  [
    'sftp://alice;fingerprint=x@h.example:2222/~/a',
    { user: 'alice', argsWithUser: ['-P', '2222', '--', 'alice@h.example:./'] },
  ],
  ['irc://alice@h.example/', { user: 'alice', argsWithUser: ['irc://alice@h.example:6667'] }],
  [
    'http://alice:s3cret@h.example/',
    { user: 'alice', args: ['http://h.example/'], argsWithUser: ['http://alice@h.example/'] },
  ],
  ['http://h.example/', { user: null, args: ['http://h.example/'], argsWithUser: undefined }],
])('%s: the user is advice, the password no argument', (url, expected) => {
  const handoff = handed(url)
  expect(handoff).toMatchObject(Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)))
  expect(handoff.argsWithUser).toEqual('argsWithUser' in expected ? expected.argsWithUser : undefined)
  expect(JSON.stringify(handoff)).not.toContain('s3cret')
  expect(handoff.password ?? null).toBe(url.includes('s3cret') ? 's3cret' : null)
})

test('host and port are null where the URL has none', () => {
  for (const url of [
    'mailto:a@b',
    'man:ls',
    'news:a@b',
    'data:,x',
    'irc:///chat',
    'urn:ietf:rfc:1738',
    'file:///etc/motd',
  ])
    expect(handed(url)).toMatchObject({ host: null, port: null })
})

describe('each platform takes each scheme, and no hostile text becomes an option or leaves its argument', () => {
  /** A URL of a scheme with a text in the place where a page or a server puts it. */
  function hostileUrls(name: string, text: string): string[] {
    const words = encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    )
    const scheme = builtinSchemes.find((each) => each.name === name)
    const user = scheme?.userinfo === 'allowed' ? [`${name}://${words}@h.example/`, `${name}://${text}@h.example/`] : []
    if (scheme?.host === 'none')
      return [`${name}:${words}`, `${name}:${text}`, `${name}:a@b?subject=${words}`, `${name}:(a)${words}`]
    return [
      ...user,
      `${name}://h.example/${words}`,
      `${name}://h.example/${text}`,
      `${name}://${text}/`,
      `${name}://${words}/`,
    ]
  }

  const names = builtinSchemes.map(({ name }) => name)
  const hostile = [
    ';reboot',
    '$(reboot)',
    '`reboot`',
    "'",
    '"',
    '\n',
    '\r\nQUIT',
    '-oProxyCommand=id',
    '--help',
    '-x',
    '|id',
    '&id',
    '%3Bx',
    `$${'{x}'}`,
    ' x',
    '\\',
    '\0',
    '<x',
    '*',
    '\u202e',
  ]

  test.each(platforms)('%s', (platform) => {
    let handedOver = 0
    // In npm test, each platform meets another third of the texts.
    const some = hostile.filter((_, at) => (at + platforms.indexOf(platform)) % stride === 0)
    for (const name of names) {
      for (const text of some) {
        for (const url of hostileUrls(name, text)) {
          const handoff = tryHandoff(url, { platform })
          if (handoff === null) continue
          handedOver++
          for (const [program = '', ...args] of allArgs(handoff)) checkArgs(program, args, url)
        }
      }
    }
    // Most of them are no valid URLs, or are refused; the others must be enough to prove something.
    expect(handedOver).toBeGreaterThan(500 / stride)
  })

  function tryHandoff(url: string, options: HandoffOptions): Handoff | null {
    try {
      return handoffOf(resolve(url), options)
    } catch (error) {
      expect(error).toMatchObject({
        name: 'RetrievalError',
        code: expect.stringMatching(/^(?:malformed-url|refused)$/),
      })
      return null
    }
  }

  /** The options that programs are given, which may stand before the words of the URL. */
  const ours: Readonly<Record<string, readonly string[]>> = {
    telnet: ['-l', '--'],
    sftp: ['-P', '--'],
    man: ['-k', '--'],
    info: ['-f', '-n'],
    whatis: ['--'],
    gio: ['--'],
    mpv: ['--'],
    yelp: ['--'],
    openssl: ['-verify_return_error', '-connect'],
  }

  function checkArgs(program: string, args: readonly string[], url: string): void {
    const end = args.indexOf('--')
    for (const [index, arg] of args.entries()) {
      // The word behind -f and -n of info is their value, whatever it begins with.
      const isValue = program === 'info' && index % 2 === 1
      const isBehind = end !== -1 && index > end
      if (arg.startsWith('-') && !isValue && !isBehind) expect(ours[program], `${url}: ${arg}`).toContain(arg)
      if (/^[a-z][a-z0-9+.-]*:/.test(arg) && !isValue && program !== 'whatis')
        expect(arg, url).toMatch(/^[\w.~:/?#[\]@&+,;=%-]*$/)
    }
  }
})

test.each([
  'telnet://-lroot@h/',
  'telnet://+x@h/',
  'tn3270://-x@h/',
  'sftp://-oProxyCommand=id@h/',
  'irc://-x@h/',
  'telnet://a%1Bb@h/',
])('%s: a user that is an option is refused', (url) => {
  expect(thrown(() => handed(url))).toMatchObject({ code: 'refused', phase: 'policy' })
})

test('sftp ends the host at the first colon: such a user is not passed', () => {
  expect(handed('sftp://evil.example%3Ax@h.example/').argsWithUser).toBeUndefined()
})

test('WeeChat evaluates what stands in dollar and braces: none gets there', () => {
  expect(handed('irc://h.example/%24%7Bsec.data.password%7D').args).toEqual([
    'irc://h.example:6667/#%24%7Bsec.data.password%7D',
  ])
})

test('the host is the one that Retriever would contact', () => {
  expect(handed('http://0x7f.1/').args).toEqual(['http://127.0.0.1/'])
  expect(handed('telnet://EXAMPLE.org/').args).toEqual(['--', 'example.org', '23'])
  expect(handed('http://[::1]:8080/').args).toEqual(['http://[::1]:8080/'])
})

test('a link of mail sets neither attachments nor the sender', () => {
  const url = 'mailto:a@b?attach=/etc/passwd&From=c@d&bcc=e@f&subject=x'
  expect(handed(url).args).toEqual(['mailto:a@b?subject=x'])
})

test.each(['mailto:a@b?subject=x%0D%0Abcc:c@d', 'mailto:a@b%0Abcc:c@d'])('%s is refused, allowed or not', (url) => {
  expect(thrown(() => handed(url))).toMatchObject({ code: 'refused', phase: 'policy' })
})

test('options are checked', () => {
  expect(thrown(() => handoffOf(resolve('http://h/'), { platform: 1 } as never))).toMatchObject({
    code: 'invalid-option',
  })
  expect(thrown(() => handoffOf(resolve('http://h/'), { nope: 1 } as never))).toMatchObject({ code: 'invalid-option' })
})

describe('the client hands over under its policy', () => {
  const client = createClient({ policy: { schemes: ['http', 'telnet', 'mailto', 'gopher', 'file'] } })

  test.each([
    ['ftp://h.example/', 'ftp is not among the schemes'],
    ['mailto:a@b?subject=x%0D%0Abcc:c@d', 'line break'],
    ['telnet://u%0d%0a@h.example/', 'CR'],
    ['telnet://-x@h.example/', 'option'],
  ])('%s is refused', (url, why) => {
    expect(thrown(() => client.handoff(url))).toMatchObject({ code: 'refused', message: expect.stringContaining(why) })
  })

  test('a server leads to no file of this machine, and not inward', () => {
    const linkedFrom = 'gopher://h.example/'
    for (const url of ['file:///etc/motd', 'telnet://127.0.0.1/'])
      expect(thrown(() => client.handoff(url, { linkedFrom }))).toMatchObject({ code: 'refused' })
    expect(client.handoff('telnet://h.example/', { linkedFrom })).toMatchObject({ program: 'telnet' })
  })

  test('it takes references and platforms, and contacts nothing', () => {
    const { args } = client.handoff('b', { base: 'http://h.example/a', platform: 'darwin' })
    expect(args).toEqual(['http://h.example/b'])
    expect(thrown(() => client.handoff('http://h/', { base: 1 } as never))).toMatchObject({ code: 'invalid-option' })
  })
})

describe('a scheme that names a service, and has no fetcher', () => {
  test.each([['irc://h.example/chat', { service: 'irc', host: 'h.example', port: 6667 }]])(
    '%s',
    async (url, expected) => {
      await using client = createClient()
      expect(await client.open(url)).toMatchObject({ outcome: 'handoff', ...expected })
      const error: unknown = await client.retrieve(url).catch((failure: unknown) => failure)
      expect(error).toMatchObject({
        code: 'handoff',
        handoff: expected,
        message: expect.stringContaining('To use it, run: '),
      })
    },
  )

  test('a secret in the URL is in no field of the error', async () => {
    await using client = createClient()
    const error: unknown = await client
      .retrieve('rtspu://h.example/a?token=s3cret')
      .catch((failure: unknown) => failure)
    expect(JSON.stringify(error)).not.toContain('s3cret')
  })
})
