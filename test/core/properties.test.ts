import { domainToASCII } from 'node:url'
import {
  builtinSchemes,
  decodeOctets,
  encodeOctets,
  explain,
  findScheme,
  formatLocator,
  normalizeUrl,
  octetsToText,
  printable,
  type Resolution,
  RetrievalError,
  redact,
  resolve,
  resolveReference,
} from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitUrl } from '../../packages/core/src/url/split.ts'
import { anyText, anyUrl, examples, octets, pieces, schemeName } from '../support/any-url.ts'
import { expectLinear, filled } from '../support/growth.ts'
import { isMutated, runs, stride } from '../support/runs.ts'

/**
 * threats.md section 4: properties 1 to 10, each over the URLs of all schemes; then what belongs to one scheme only.
 */

function attempt<T>(run: () => T): T | RetrievalError {
  try {
    return run()
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
}

function tryResolve(url: string, options = {}): Resolution | undefined {
  const result = attempt(() => resolve(url, { domainToAscii: domainToASCII, ...options }))
  return result instanceof RetrievalError ? undefined : result
}

const often = { numRuns: runs(2000) }

test('property 1: any text gives a resolution or a coded error', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const result = attempt(() => resolve(text))
      if (result instanceof RetrievalError) expect(result.phase).toBe('resolve')
      // toc:man and toc:info are listings of other mechanisms.
      else if (result.scheme.name !== 'toc') expect(result.plan.mechanism).toBe(result.scheme.mechanism)
      explain(text)
    }),
    { numRuns: runs(5000) },
  )
})

test('property 1: time grows no faster than the text, for every scheme', { skip: isMutated }, async () => {
  const common = '%0d %09 @ : / ../ [ ;type= ? = a. 0 % x://u: :a@ - &token= ü . \\'
  const special = '( (& (!( , ; + ?+ ;base64 " %22 &'
  const delicate = ['http://h/', 'ftp://', 'gopher://h/0', 'gopher://h/0%09%09+', 'news:', 'http://h/?', 'mailto:a@b?c']
  const others = ['ldap://h/x???', 'wais://h/d/T/', 'z39.50r://h/d?', 'dict://h/d:', 'info:(', 'data:;base64,', '']
  const plain = builtinSchemes.map(({ name, host }) => (host === 'none' ? `${name}:` : `${name}://h/`))
  const everywhere = new Set(['%0d', '/', '?', ':', ';', '=', '(', ',', '+', 'ü'])
  const expectLinearTime = (head: string, seed: string, run: (text: string) => unknown): Promise<void> =>
    expectLinear(32_000, (length) => run(head + filled(seed, length)))
  // In npm test, each seed meets a third of the heads, and each head a third of the seeds.
  const eachOf = <T>(heads: readonly T[], at: number): T[] => heads.filter((_, index) => (at + index) % stride === 0)
  for (const [at, seed] of `${common} ${special}`.split(' ').entries()) {
    for (const head of eachOf([...delicate, ...others], at)) {
      await expectLinearTime(head, seed, (text) => explain(text, { base: `http://a/${'b/'.repeat(1000)}` }))
      await expectLinearTime(head, seed, redact)
    }
    if (!everywhere.has(seed)) continue
    for (const head of eachOf(plain, at)) await expectLinearTime(head, seed, (text) => attempt(() => resolve(text)))
  }
})

test('property 2: parse(format(parse(u))) is parse(u), and no raw control, blank or backslash is written', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const viewOf = (name: string): { query: boolean } => findScheme(name) ?? { query: true }
      const split = attempt(() => splitUrl(text, viewOf))
      if (split instanceof RetrievalError) return
      const again = formatLocator(split.locator)
      expect(splitUrl(again, viewOf).locator).toEqual(split.locator)
      expect(again.replace(split.locator.host ?? '', '')).not.toMatch(/[\0-\x20\x7F"<>\\^`{|}]/)
    }),
    { numRuns: runs(5000) },
  )
})

/** Where CR and LF are no delimiters, and why; NUL may stand only in the first six. */
const unbroken: Readonly<Record<string, string>> = {
  http: 'goes out encoded',
  https: 'goes out encoded',
  gemini: 'goes out encoded',
  rtsp: 'goes out encoded',
  rtsps: 'goes out encoded',
  rtspu: 'goes out encoded',
  ws: 'goes out encoded',
  wss: 'goes out encoded',
  mqtt: 'its length frames each text, and a password is any octets',
  mqtts: 'its length frames each text',
  urn: 'nothing is decoded',
  data: 'any octet is data',
  imap: 'its length frames a literal in a search',
  imaps: 'its length frames a literal in a search',
  nfs: 'goes out encoded; names may hold line breaks',
  sftp: 'its length frames each text; names may hold line breaks',
  wais: 'its length frames a document-id, which may hold NUL',
  file: 'names may hold line breaks',
  afs: 'names may hold line breaks',
}
const withNul = new Set(['http', 'https', 'gemini', 'rtsp', 'rtsps', 'rtspu', 'ws', 'wss', 'urn', 'data', 'wais'])

function isRefused({ findings }: Resolution): boolean {
  return findings.some(({ code }) => code === 'encoded-delimiter' || code === 'header-injection')
}

test('property 3: CR, LF or NUL decoded from any part before the fragment is refused, but where it cannot delimit', () => {
  const bad = fc.constantFrom('%0d', '%0D', '%0a', '%0A', '%00', '%0D%0A')
  const sound = examples.filter((url) => !url.includes('#') && tryResolve(url))
  fc.assert(
    fc.property(fc.constantFrom(...sound), fc.nat(), bad, (url, where, delimiter) => {
      const start = url.indexOf(':') + 1
      const at = start + (where % (url.length - start + 1))
      const crafted = url.slice(0, at) + delimiter + url.slice(at)
      const result = tryResolve(crafted)
      // An escape cut in two is an error; one put before the // makes another URL.
      if (result === undefined || isRefused(result)) return
      const { scheme, plan } = result
      if (plan.mechanism === 'mailto') {
        // A body has lines.
        const { body = '', ...others } = plan.headers
        expect(body, crafted).toMatch(/[\r\n]/)
        expect(Object.values(others).join('') + plan.to.join(''), crafted).not.toMatch(/[\r\n\0]/)
      } else if (plan.mechanism === 'gopher') {
        // Gopher+ form data has lines by design.
        expect(plan.gopherPlus, crafted).toMatch(/\t1\r\n/)
      } else {
        expect(unbroken, crafted).toHaveProperty(scheme.name)
        if (plan.mechanism === 'wais') expect(delimiter, crafted).toBe('%00')
        const isPassword = plan.mechanism === 'mqtt' && plan.password?.includes('\0')
        if (!withNul.has(scheme.name) && !isPassword) expect(delimiter, crafted).not.toBe('%00')
      }
    }),
    { numRuns: runs(10_000) },
  )
})

interface Sent {
  readonly wire: readonly string[]
  readonly unknown?: Readonly<Record<string, string>>
}

/** The messages of a plan, without what stands for those that are not known. */
function messagesOf({ wire, unknown = {} }: Sent): readonly string[] {
  return wire.filter((message) => !Object.hasOwn(unknown, message))
}

test('property 3: what would be sent without a danger is one line a message', () => {
  fc.assert(
    fc.property(anyUrl, (url) => {
      const result = tryResolve(url)
      if (result === undefined || result.findings.some(({ severity }) => severity === 'danger')) return
      const { plan } = result
      // The packets of these have no lines, nor has a call of NFS, whose path goes out encoded.
      if (['tftp', 'wais', 'nfs', 'z3950', 'mqtt', 'ldap'].includes(plan.mechanism)) return
      // Packets of Prospero have a header each; the text in all of them is three lines.
      if (plan.mechanism === 'prospero') {
        expect(
          messagesOf(plan)
            .map((packet) => packet.slice(11))
            .join(''),
          url,
        ).toMatch(/^(?:[^\r\n\0]+\n){3}$/)
        return
      }
      // Gopher+ form data is a message of several lines by design.
      if (plan.mechanism === 'gopher' && plan.gopherPlus?.includes('\t1\r\n')) return
      const several = plan.mechanism === 'http' || plan.mechanism === 'rtsp' || plan.mechanism === 'ws'
      const whole = several ? /^(?:[^\r\n\0]+\r\n)+\r\n$/ : /^[^\r\n\0]*\r\n$/
      for (const message of messagesOf(plan)) expect(message, url).toMatch(whole)
    }),
    { numRuns: runs(5000) },
  )
})

describe('property 4: decoded exactly once', () => {
  test('decoding undoes encoding, once', () => {
    fc.assert(
      fc.property(octets, (text) => {
        expect(decodeOctets(encodeOctets(text))).toBe(text)
        const twice = encodeOctets(encodeOctets(text))
        expect(decodeOctets(twice)).toBe(encodeOctets(text))
      }),
    )
  })

  /**
   * A component in a URL, and where the plan has it. Those that have a syntax of their own are given what fits into it.
   */
  const places: ReadonlyArray<readonly [url: (part: string) => string, field: (part: string) => object]> = [
    [(part) => `ftp://h/${part}`, (name) => ({ cwd: [], name })],
    [(part) => `ftp://h/${part}/x`, (name) => ({ cwd: [name], name: 'x' })],
    [(part) => `ftp://${part}:${part}@h/`, (user) => ({ user, password: user })],
    [(part) => `http://${part}:${part}@h/`, (user) => ({ user, password: user })],
    // A segment of one or two dots is removed (RFC 3986 5.2.4), so another letter stands before it.
    [(part) => `http://h/x${part}?${part}`, (part) => ({ target: `/x${encodeOctets(part)}?${encodeOctets(part)}` })],
    [(part) => `telnet://${part}@h/`, (user) => ({ user })],
    [(part) => `wais://h/${part}?${part}`, (database) => ({ database, search: database })],
    [(part) => `wais://h/d/${part}/x`, (wtype) => ({ wtype })],
    [(part) => `prospero://h/${part};a=${part}`, (value) => ({ hsoname: value, attributes: [{ field: 'a', value }] })],
    [(part) => `ldap://h/${part}?${part}`, (dn) => ({ dn, attributes: [dn] })],
    [(part) => `ldap://h/????x=${part}`, (value) => ({ extensions: [{ type: 'x', value, critical: false }] })],
    [(part) => `ldapi://${part}/`, (socket) => ({ socket })],
    [(part) => `data:,${part}`, (text) => ({ octets: text, size: text.length })],
    [(part) => `mailto:?body=${part}&subject=${part}`, (body) => ({ headers: { body, subject: body } })],
    [(part) => `nfs://h/x${part}`, (part) => ({ path: `x${encodeOctets(part)}` })],
    [(part) => `tn3270://${part}@h`, (user) => ({ user })],
    [(part) => `z39.50r://h/${part}?${part}`, (docid) => ({ databases: [docid], docid })],
    [(part) => `z39.50s://h/d;esn=${part}`, (elementSet) => ({ elementSet })],
    [(part) => `info:x#a${part}`, (part) => ({ node: `a${part}`.replaceAll('_', ' ') })],
    [(part) => `whatis:a${part}`, (part) => ({ query: `a${part}` })],
    [(part) => `ghelp:x?${part}`, (page) => ({ page })],
    [(part) => `toc:${part}`, (start) => ({ start })],
    [(part) => `irc://h/c?key=${part}`, (key) => ({ key })],
    [(part) => `irc://h/%23${part}`, (part) => ({ target: `#${part}` })],
    [(part) => `mailserver:${part}`, (text) => ({ text })],
    [(part) => `sftp://h/a${part}`, (part) => ({ path: `/a${part}` })],
    [(part) => `sftp://${part}:${part}@h/`, (user) => ({ user, password: user })],
    [(part) => `dict://h/d:${part}`, (word) => ({ word })],
    [(part) => `finger://h/${part}`, (query) => ({ query })],
    [(part) => `gemini://h/${part}`, (part) => ({ target: `gemini://h/${encodeOctets(part)}` })],
    [(part) => `urn:example:a${part}`, (part) => ({ nss: `a${encodeOctets(part)}` })],
    [(part) => `afs://h/a${part}`, (part) => ({ path: `/afs/h/a${part}` })],
    [(part) => `mid:a${part}@b/c@d`, (part) => ({ messageId: `a${part}@b`, contentId: 'c@d' })],
    [(part) => `cid:a${part}@b`, (part) => ({ contentId: `a${part}@b` })],
    [(part) => `news:a${part}@b`, (part) => ({ messageId: `a${part}@b` })],
  ]

  test.each(places.map(([url, field]) => [url('<part>'), url, field] as const))('%s', (_, url, field) => {
    let resolved = 0
    const part = fc.oneof(octets, fc.string({ unit: fc.constantFrom('%', '2', '5', '4', '1', 'a'), maxLength: 9 }))
    fc.assert(
      fc.property(part, (text) => {
        if (text === '') return
        const result = tryResolve(url(encodeOctets(text)))
        if (result === undefined) return
        resolved++
        expect(result.plan, url(encodeOctets(text))).toMatchObject(field(text))
      }),
    )
    expect(resolved).toBeGreaterThan(20)
  })

  test('the wire holds the component that the plan holds', () => {
    const word = fc.string({ unit: fc.constantFrom('%', '2', '5', '4', '1', 'a', ' ', '\xE9', ';', '?'), maxLength: 9 })
    fc.assert(
      fc.property(word, (text) => {
        const part = encodeOctets(text)
        expect(tryResolve(`gopher://h/0${part}`)?.plan.wire).toEqual([`${text}\r\n`])
        expect(tryResolve(`finger://h/${part || 'x'}`)?.plan.wire).toEqual([`${text || 'x'}\r\n`])
        expect(tryResolve(`ftp://h/${part || 'x'}`)?.plan.wire).toContain(`RETR ${text || 'x'}\r\n`)
        expect(tryResolve(`nntp://u${part}@h/g`)?.plan.wire.join('')).not.toContain('%25')
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
})

/** Something that resolves behind `scheme://host`, by scheme. */
const networked = builtinSchemes
  .filter(({ host }) => host === 'required' || host === 'optional')
  .map(({ name }) => [
    name,
    ['/', '/x', '/x/1', '/db?id', '/d:x'].find((rest) => tryResolve(`${name}://h${rest}`)) ?? '',
  ])
  .map(
    ([name = '', rest = '']) =>
      (host: string) =>
        `${name}://${host}${rest}`,
  )

function hostOf(url: string): string | undefined {
  const plan = tryResolve(url)?.plan
  // afs has a cell, file a machine: neither is dialled.
  return plan !== undefined && 'host' in plan && plan.mechanism !== 'file' ? (plan.host ?? undefined) : undefined
}

describe('property 5: one host for all', () => {
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

  test('numeric spellings of one address agree across all schemes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (address) => {
        const spelled = spell(address)
        const hosts = networked.flatMap((url) => spelled.map((host) => hostOf(url(host))))
        expect(new Set(hosts.filter((host) => host !== undefined))).toEqual(new Set([spelled[0]]))
      }),
      { numRuns: runs(400) },
    )
  })

  test('the canonical host and URL are their own canonical form', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        const resolution = tryResolve(url)
        if (resolution === undefined) return
        const canonical = normalizeUrl(url)
        expect(normalizeUrl(canonical), url).toBe(canonical)
        const { plan, scheme } = resolution
        if (!('host' in plan) || !plan.host) return
        const again = plan.host.includes(':') ? `[${plan.host.replace('%', '%25')}]` : plan.host
        expect(
          networked.map((make) => hostOf(make(again))).filter((host) => host !== undefined && host !== plan.host),
        ).toEqual([])
        const expected = 'port' in plan ? { host: plan.host, port: plan.port } : { host: plan.host }
        expect(tryResolve(canonical)?.plan, `${scheme.name} ${canonical}`).toMatchObject(expected)
      }),
      often,
    )
  })

  test('the host that is sent is the host that is dialled', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        const plan = tryResolve(url)?.plan
        if (plan === undefined) return
        const [message = ''] = plan.wire
        const sent =
          plan.mechanism === 'http'
            ? /\r\nHost: ([^\r]*?)(?::\d+)?\r\n/.exec(message)?.[1]
            : plan.mechanism === 'rtsp' || plan.mechanism === 'gemini'
              ? /:\/\/([^/?]*?)(?::\d+)?(?:[/? ]|\r\n)/.exec(message)?.[1]
              : undefined
        if (sent === undefined || !('host' in plan)) return
        expect(sent.replace(/^\[|\]$/g, ''), url).toBe(plan.host?.split('%', 1)[0])
      }),
      often,
    )
  })
})

test('property 6: a relative reference keeps the scheme, and the login where it names no host; a scheme of its own is its own URL', () => {
  const bases = [
    'http://a/b/c',
    'https://u:p@a/b/c?d',
    'ftp://u@h/x/y',
    'gopher://h/1/x',
    'nfs://h/a/b',
    'file:///a/b',
    'gemini://h/',
  ]
  fc.assert(
    fc.property(fc.constantFrom(...bases), fc.oneof(pieces, anyText), (base, reference) => {
      const target = resolveReference(reference, base)
      if (schemeOf(reference) !== undefined) {
        expect(target).toBe(reference)
        return
      }
      expect(schemeOf(target), target).toBe(schemeOf(base))
      if (reference.startsWith('//')) return
      const authority = /^[^:]*:\/\/[^/?#]*/
      expect(authority.exec(target)?.[0], target).toBe(authority.exec(base)?.[0])
    }),
    often,
  )
})

describe('property 7: dot-segments never climb', () => {
  const path = fc.array(fc.constantFrom('..', '.', '%2e%2e', '%2E.', 'a', '', 'b%2fc'), { maxLength: 10 })

  test('a reference does not leave the root of its base, whatever the scheme', () => {
    const base = fc.constantFrom(
      'http://h/a/b',
      'ftp://h/a/b',
      'file:///a/b',
      'nfs://h/a/b',
      'gemini://h/a/b',
      'sftp://h/a/b',
    )
    fc.assert(
      fc.property(base, path, (from, segments) => {
        const target = resolveReference(`/${segments.join('/')}`.replace(/^\/+/, '/'), from)
        expect(target.startsWith(`${from.slice(0, from.indexOf('/', from.indexOf('//') + 2))}/`), target).toBe(true)
        expect(target.split('/')).not.toContain('..')
        expect(target.split('/')).not.toContain('.')
      }),
      often,
    )
  })

  test('%2e is a dot where http is normalised; ftp keeps every name as RFC 1738 has it', () => {
    fc.assert(
      fc.property(path, (segments) => {
        const names = normalizeUrl(`http://h/${segments.join('/')}`).split('/')
        expect(names.filter((name) => /^(?:\.|%2e){1,2}$/i.test(name))).toEqual([])
        const ftp = tryResolve(`ftp://h/${segments.join('/')}`)?.plan
        const written = segments.length === 0 ? [''] : segments.map(decodeOctets)
        expect(ftp).toMatchObject({ cwd: written.slice(0, -1), name: written.at(-1) })
        expect(tryResolve(normalizeUrl(`ftp://h/${segments.join('/')}`))?.plan).toEqual(ftp)
      }),
      often,
    )
  })

  test('what names a local file or page holds no .. that a URL put there', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('afs://cell/', 'afs:/afs/', 'man:', 'man:/', 'ghelp:', 'info:'),
        path,
        (head, segments) => {
          const plan = tryResolve(`${head}${segments.join('/')}`)?.plan
          const named = [plan?.mechanism === 'afs' && plan.path, plan?.mechanism === 'ghelp' && plan.document]
          for (const name of named) if (name) expect(name.split('/')).not.toContain('..')
          if (plan?.mechanism === 'man') expect(plan.page ?? '').not.toContain('/')
          if (plan?.mechanism === 'info') expect(plan.file).not.toContain('/')
        },
      ),
      often,
    )
  })
})

test('property 8, the part of core: options never take a danger away; policy itself is tested with the fetchers', () => {
  fc.assert(
    fc.property(anyUrl, (url) => {
      const dangers = (options: object): string[] =>
        (tryResolve(url, options)?.findings ?? [])
          .filter(({ severity }) => severity === 'danger')
          .map(({ code, span }) => `${code} ${span}`)
      const plain = dangers({})
      expect(dangers({ fetchable: builtinSchemes.map(({ mechanism }) => mechanism) })).toEqual(plain)
      expect(dangers({ defaults: { newsServer: 'localhost', anonymousPassword: 'x@', localHosts: ['h'] } })).toEqual(
        plain,
      )
      const whatwgHost = (text: string): string | null => (URL.canParse(text) ? new URL(text).hostname : null)
      expect(dangers({ whatwgHost })).toEqual(plain)
    }),
    often,
  )
})

test('property 9, the part of core: what is shown holds no control or bidi character; names of files are the command’s', () => {
  const text = fc.oneof(octets, fc.string({ unit: 'binary' }), anyUrl)
  fc.assert(
    fc.property(text, (shown) => {
      const harmless = printable(shown)
      expect(harmless).not.toMatch(/[\0-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/)
      expect(printable(harmless)).toBe(harmless)
    }),
    often,
  )
})

describe('property 10: no planted secret is shown', () => {
  const secret = 'PLANTED'
  const percent = [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  const around = fc.string({
    unit: fc.constantFrom('a', '.', '%', '-', ':', '/', '?', '#', ';', '&', '='),
    maxLength: 6,
  })

  test('as a password, raw or encoded, in any scheme', () => {
    fc.assert(
      fc.property(
        fc.oneof(schemeName, fc.constantFrom('HTTP', 'x-y')),
        fc.constantFrom('u', '', 'a%40b'),
        fc.constantFrom(secret, percent),
        around,
        around,
        around,
        (protocol, user, planted, before, after, tail) => {
          // A password is what stands after the first colon of the authority, whatever is in it.
          const url = `${protocol}://${user}:x${before}${planted}${after}@host/${tail}`
          for (const shown of [
            redact(url),
            JSON.stringify(explain(url)),
            JSON.stringify(tryResolve(url)?.plan.wire ?? ''),
          ]) {
            expect(shown, url).not.toContain(secret)
            expect(shown, url).not.toContain(percent)
          }
        },
      ),
      often,
    )
  })

  test('as the value of a query key that names a secret, in any scheme with a query', () => {
    const key = fc.constantFrom('token', 'sig', 'signature', 'key', 'password', 'secret', 'code', 'X-Amz-Credential')
    fc.assert(
      fc.property(schemeName, key, fc.constantFrom('', 'a=b&'), around, (name, named, before, after) => {
        if (!findScheme(name)?.query) return
        for (const rest of [':', '://h/', '://h/x', ':x', ':a@b', ':example:a']) {
          const url = `${name}${rest}?${before}${named}=${secret}${after}`
          expect(JSON.stringify(explain(url)), url).not.toContain(secret)
        }
      }),
      often,
    )
  })
})
