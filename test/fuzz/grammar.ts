import { builtinSchemes, findScheme } from '@retriever/core'
import type { Random } from './random.ts'

/**
 * URLs by the grammar of their schemes, with what goes wrong in them: other cases, escapes, delimiters in odd places.
 */

const schemeNames = [...builtinSchemes.map(({ name }) => name), 'x-own', 'HTTP', 'Ftp', 'view-source']
const escapes =
  '%00 %09 %0A %0d%0A %20 %23 %25 %2f %2F %3A %3b %3F %40 %41 %7e %5B %AD %C2%AD %c3%bc %FF %E2%80%8B'.split(' ')
const oddCharacters = [
  ...' "<>{}|\\^`[]~',
  'ü',
  'ß',
  'Σ',
  'я',
  '。',
  '／',
  '\u00AD',
  '\u200B',
  '\u200D',
  '😀',
  '\uD800',
  '\t',
  '\r\n',
  '\0',
  '\x7F',
]
const words = [
  'a',
  'B',
  'pub',
  'x-y',
  '..',
  '.',
  'motd',
  '1',
  '_',
  'constructor',
  '__proto__',
  '-l',
  "it's",
  'a+b',
  '(x)',
  '*',
]

/** Pieces of a path, a name, a value. */
export function piece(random: Random): string {
  const kind = random.below(20)
  if (kind < 12) return random.pick(words)
  if (kind < 17) return random.pick(escapes)
  return kind < 18 ? random.pick(oddCharacters) : random.pick([...'/?#@:;,=&%!$+'])
}

export function pieces(random: Random, most = 4): string {
  return random.several(most, () => piece(random))
}

const hosts = [
  'h h. example.org EXAMPLE.Org www.example.org. localhost a_b.example 1and1.com r3---sn-x.example.com example..org -h h- a%2eb',
  'bücher.example BÜCHER.example xn--bcher-kva.example XN--bcher-kva.example xn-- xn--a xn--a.example xn--localhost- faß.de ΑΣ.gr',
  'b%C3%BCcher.example localhost%2F.bücher.example local%ADhost local%C2%ADhost loc\u00ADalhost ex%61mple.org раураl.com ①.example ℀.example',
  '127.0.0.1 0x7f.1 127.1 0177.0.0.1 2130706433 1.2.3 256.1.1.1 127。0。0。1 １２７.0.0.1 1.2.3.4. 09.1.1.1 0x 4294967296 a.0x1',
  '[::1] [::ffff:1.2.3.4] [FE80::1%25eth0] [fe80::1%eth0] [1:2:3:4:5:6:7:8] [1::2::3] [::%31] [v1.x] [] [::1',
].flatMap((line) => line.split(' '))

export function host(random: Random): string {
  const base = random.chance(80) ? random.pick(hosts) : `${pieces(random, 3)}${random.pick(['.example', ''])}`
  if (random.chance(80) || base.length === 0) return base
  const at = random.below(base.length)
  return base.slice(0, at) + random.pick([...escapes, ...oddCharacters, '.', '-', 'xn--']) + base.slice(at)
}

const ports = ['', '80', '21', '25', '6666', '8080', '65535', '65536', '0', '00080', '1x']

export function authority(random: Random): string {
  const user = random.chance(15)
    ? random.pick(['u@', 'u:@', '@', 'u:p@', ':p@', 'a%40b:c%3Ad@', 'u:1@', 'DOM\\u:p@', 'bank.example@'])
    : ''
  return `${user}${host(random)}${random.chance(20) ? `:${random.pick(ports)}` : ''}`
}

const digits = (random: Random): string => random.pick(['1', '12', '12-', '12-34', '0', '99999999999', 'x'])

/** The text after the host, or after the colon where there is no host. */
const paths: Readonly<Record<string, (random: Random) => string>> = {
  ftp: (random) =>
    random.several(4, () => pieces(random, 2), '/') +
    random.pick(['', '', ';type=a', ';TYPE=d', ';type=x', ';%74ype=i']),
  gopher: (random) =>
    random.pick(['', '0', '1', '7', '9']) +
    random.several(3, () => pieces(random), random.pick(['%09', '/', '%09%09+'])),
  nntp: (random) =>
    random.pick([
      `comp.x/${digits(random)}`,
      'a.b',
      '*',
      `${pieces(random)}@x.y`,
      pieces(random),
      `g/${pieces(random)}`,
    ]),
  ldap: (random) =>
    `o=${pieces(random)}${random.several(5, () => `?${random.pick(['', 'cn,sn', 'sub', '(cn=a*)', '(&(a=b)(!(c=d)))', '!x=y', 'constructor', pieces(random)])}`)}`,
  data: (random) =>
    `${random.pick(['', 'text/plain', ';charset=utf-8', 'a/b;c=d', pieces(random)])}${random.pick(['', ';base64', ';%62ase64'])}${random.pick([',', ',', ''])}${random.pick(['QUJD', pieces(random)])}`,
  mailto: (random) =>
    `${random.pick(['a@b', 'a@b,c@d', '', `${pieces(random)}@h`])}${random.several(3, () => `${random.pick(['?', '&'])}${random.pick(['subject', 'body', 'bcc', 'to', pieces(random)])}=${pieces(random)}`)}`,
  urn: (random) =>
    `${random.pick(['example', 'IETF', 'x'])}:${pieces(random)}${random.pick(['', '?+r', '?=q=a', `?=${pieces(random)}`])}`,
  wais: (random) => random.pick([`db?${pieces(random)}`, `db/TEXT/${pieces(random)}`, 'db', pieces(random)]),
  prospero: (random) => `${pieces(random)}${random.several(2, () => `;${pieces(random)}=${pieces(random)}`)}`,
  z3950: (random) =>
    `${pieces(random)}+db?${pieces(random)}${random.several(2, () => random.pick([';esn=f', ';rs=a+b', ';%65sn=x', `;${pieces(random)}`]))}`,
  dict: (random) => `${random.pick(['d', 'm', 'x'])}:${random.several(4, () => pieces(random, 2), ':')}`,
  info: (random) => random.pick([`gcc#${pieces(random)}`, `(gcc)${pieces(random)}`, pieces(random)]),
  man: (random) => random.pick(['ls(1)', `/${pieces(random)}`, `${pieces(random)}(3)`]),
  irc: (random) => `${pieces(random)}${random.pick(['', ',isnick', ',needkey', '?key=x', `?${pieces(random)}`])}`,
  message: (random) => random.pick(['a@b', 'a@b/c@d', `${pieces(random)}@h`]),
}

/** A URL: mostly sound, sometimes with an accident. */
export function url(random: Random): string {
  const name = random.pick(schemeNames)
  const scheme = findScheme(name.toLowerCase())
  const path = paths[scheme?.mechanism ?? ''] ?? ((): string => random.several(3, () => pieces(random, 3), '/'))
  const hasHost = scheme?.host !== 'none' && !(scheme?.host === 'optional' && random.chance(40))
  const before = hasHost ? `//${authority(random)}${random.chance(90) ? '/' : ''}` : ''
  const query = random.chance(20) ? `?${random.several(3, () => `${pieces(random, 2)}=${pieces(random, 2)}`, '&')}` : ''
  const text = `${name}:${before}${path(random)}${query}${random.chance(10) ? `#${pieces(random)}` : ''}`
  return random.chance(25) ? accident(text, random) : text
}

/** One thing put in, taken out, doubled, escaped, or written in the other case. */
export function accident(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const [before, character, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)]
  switch (random.below(6)) {
    case 0:
      return before + piece(random) + character + after
    case 1:
      return before + after
    case 2:
      return before + character + character + after
    case 3:
      return before + (/^[!-~]$/.test(character) ? `%${character.charCodeAt(0).toString(16)}` : character) + after
    case 4:
      return (
        before + (character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()) + after
      )
    default:
      return before + random.pick(oddCharacters) + character + after
  }
}

const secretNames =
  'token access_token %74oken sig code key jwt session PHPSESSID sid otp pin bearer Authorization X-Amz-Credential SAMLResponse access_key user[password]'.split(
    ' ',
  )

/** A URL with a secret in it, and what must not be seen of it. */
export function urlWithSecret(random: Random): { readonly url: string; readonly secret: string } {
  const secret = 'PLANTED'
  const planted = random.pick([
    secret,
    'PL%41NTED',
    `x/${secret}`,
    `%09${secret}`,
    `1${secret}`,
    `a%2F${secret}`,
    `a:${secret}`,
    `${secret}?x`,
    `12?${secret}`,
  ])
  if (random.chance(40)) {
    const start = random.pick(['//', '//', '//', '/', '', '\\\\', '///'])
    const name = start === '//' ? random.pick(schemeNames) : random.pick(['http', 'https', 'ftp', 'telnet', 'HTTP'])
    return { url: `${name}:${start}${random.pick(['u', 'a%40b', 'DOM\\u'])}:${planted}@h/${pieces(random)}`, secret }
  }
  const text = url(random).replace(/[?#].*$/s, '')
  const mark = random.pick(['?', '?', ';', '#', '&', '%3F', '%26', '?=', '?a=b&'])
  const value = mark.includes('?') || mark === '&' ? planted : planted.replaceAll('?', '')
  return {
    url: `${text}${mark}${random.pick(secretNames)}=${value}${random.pick(['', '&x=y', ';type=a', '#f', '%26z'])}`,
    secret,
  }
}

const prose = [
  ' ',
  '\n',
  '\n\n',
  '-\n',
  ', ',
  '. ',
  ') ',
  '(',
  '(see ',
  '[',
  ']',
  '"',
  "'",
  '<',
  '>',
  '<URL:',
  '~~',
  '*',
  '_',
  ',',
  ';',
  ': ',
  '“',
  '”',
  '&gt;',
  'text',
  'info:',
  'C:\\',
  'a::b',
  '%',
  '…',
]

/** Running text with URLs in it. */
export function text(random: Random): string {
  return random.several(14, () => (random.chance(35) ? url(random) : random.pick(prose)))
}

/** A relative reference, or what looks like one. */
export function reference(random: Random): string {
  const path = random.several(
    5,
    () => random.pick(['..', '.', '', 'a', 'b:c', 'u:p@evil', '%2e%2e', ';x=1', '...']),
    '/',
  )
  const start = random.pick(['', '', '/', '//', './/', '..//', '/.//', '//h', 'g:', '///'])
  return `${start}${path}${random.pick(['', '', '?y', '?y/../x', '?'])}${random.pick(['', '', '#s', '#s/../x', '#'])}`
}

export function base(random: Random): string {
  const start = random.pick([
    'http://a/',
    'http://a',
    'ftp://u:p@h/',
    'file:/',
    'file:///',
    'x:',
    'x:/',
    'gopher://h:70/',
  ])
  return `${start}${random.several(4, () => random.pick(['b', 'c', '..', '', 'd;p']), '/')}${random.pick(['', '?q', '#f'])}`
}
