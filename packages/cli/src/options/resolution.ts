import { existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve as absolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findScheme, type Gateway, type ResolveOptions, type RetrievalError } from '@retriever/core'
import type { Gateways } from '@retriever/core/internal'
import type { PinnedAddresses } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import { readPort } from './numbers.ts'
import { connecting, type GivenOptions, type OptionRow, urls } from './option.ts'
import { defaultLdapServer } from './protocols/ldap-server.ts'

export type ResolutionOption =
  | 'url'
  | 'proto-default'
  | 'resolve'
  | 'base'
  | 'news-server'
  | 'gateway'
  | 'guess-type'
  | 'path-as-is'
  | 'html'

export const resolutionOptions: readonly OptionRow<ResolutionOption>[] = [
  {
    long: 'url',
    sent: true,
    arg: 'URL',
    help: 'One of the URLs; the same as URL alone. @FILE: those in FILE, a line each, as with -O',
    commands: urls,
    example: 'retrieve -O --url http://www.example.org/x.pdf',
  },
  {
    long: 'proto-default',
    sent: true,
    arg: 'SCHEME',
    help: 'The scheme of URLs that have none, in place of a guess',
    commands: urls,
    example: 'retrieve --proto-default https www.example.org',
  },
  {
    long: 'resolve',
    sets: ['addresses'],
    sent: false,
    arg: 'HOST:PORT:ADDRESS[,ADDRESS]',
    help: 'For HOST, or * for any, and PORT, connect to ADDRESS; TLS and the request keep the name',
    commands: connecting,
    example: 'retrieve --resolve www.example.org:443:127.0.0.1 https://www.example.org/',
  },
  {
    long: 'base',
    sent: true,
    arg: 'FILE-OR-URL',
    help: 'The base URL of relative references; the message, mailbox or folder in which cid: and mid: URLs are',
    commands: [...urls, 'extract'],
    example: 'retrieve --base http://www.example.org/a/ ../b',
  },
  {
    long: 'html',
    sent: false,
    help: 'The text is HTML: print its links, made absolute by --base and <base href>',
    commands: ['extract'],
    example: 'retrieve extract --html --base http://www.example.org/ page.html',
  },
  {
    long: 'news-server',
    sent: true,
    arg: 'HOST[:PORT]',
    help: 'Server for news URLs, which name none; default: $NNTPSERVER, else what /etc/news/server says',
    commands: urls,
    example: 'retrieve --news-server news.example.org news:comp.lang.c',
  },
  {
    long: 'gateway',
    sent: true,
    arg: 'SCHEME=URL',
    help: 'Retrieve URLs of SCHEME, or of a namespace urn:NAME, by URL, with {url} or {path} for theirs; SCHEME://:PORT: its port',
    commands: [...urls, 'check', 'mirror'],
    example: "retrieve --gateway 'wais=http://gateway.example/?url={url}' wais://h/db",
  },
  {
    long: 'guess-type',
    sent: true,
    help: 'Retrieve files of ftp URLs without ;type= as text if their name says so, such as .txt',
    commands: urls,
    example: 'retrieve --guess-type ftp://ftp.example.org/README',
  },
  {
    long: 'path-as-is',
    sent: true,
    help: 'Send /./ and /../ in the path of an http URL as they are; otherwise they are removed',
    commands: [...urls, 'check', 'mirror'],
    example: 'retrieve --path-as-is http://www.example.org/a/../b',
  },
]

/**
 * Reads `--resolve HOST:PORT:ADDRESS[,ADDRESS]`; IPv6 addresses may have brackets. As in curl, the last one for a
 * HOST:PORT applies.
 */
export function readAddresses(line: GivenOptions<ResolutionOption>): PinnedAddresses {
  return Object.fromEntries(
    line.values('resolve').map((text) => {
      const [, host = '', port, list = ''] = /^([^:*]+|\*):(\d{1,5}):(.+)$/.exec(text) ?? []
      const addresses = list.split(',')
      const areAddresses = addresses.every((address) => isIP(address.replace(/^\[(.*)\]$/, '$1')) !== 0)
      if (areAddresses && isIP(host) === 0) return [`${host}:${port}`, addresses]
      const wanted = 'HOST:PORT:ADDRESS[,ADDRESS], with a name or * for HOST and an IP address for ADDRESS'
      throw usageError(`--resolve needs ${wanted}; not ${JSON.stringify(text)}.`)
    }),
  )
}

/**
 * Reads `--gateway SCHEME=URL`; the last one for a scheme applies. The syntax of an unknown scheme may follow its name:
 * `SCHEME://:PORT=URL`, `SCHEME://=URL` or `SCHEME:=URL`. Only a retrieval shows whether the URL can be used.
 */
export function readGateways(line: GivenOptions<ResolutionOption>): Gateways | null {
  const given = line.values('gateway').map((text): [string, string | Gateway] => {
    const [, name = '', slashes, digits, url = ''] =
      /^(urn:[a-z\d-]+|[a-z][a-z\d+.-]*)(?::(?:(\/\/)(?::([1-9]\d{0,4}))?)?)?=(.+)$/is.exec(text) ?? []
    const isDeclared = text.startsWith(':', name.length)
    const port = digits === undefined ? undefined : readPort('gateway', digits)
    if (name === '' || (isDeclared && findScheme(name.toLowerCase()) !== undefined)) throw badGateway(text)
    if (!isDeclared) return [name.toLowerCase(), url]
    return [
      name.toLowerCase(),
      { url, ...(port !== undefined && { port }), syntax: slashes === undefined ? 'opaque' : 'generic' },
    ]
  })
  return given.length === 0 ? null : Object.fromEntries(given)
}

function badGateway(text: string): RetrievalError {
  const unknown = 'for a scheme that Retriever does not know, SCHEME://:PORT=URL, or SCHEME:=URL if no host follows'
  return usageError(`--gateway needs SCHEME=URL or urn:NAME=URL; ${unknown}; not ${JSON.stringify(text)}.`)
}

/** The base as a URL; a file or folder may be given by its path. */
export function readBase(line: GivenOptions<ResolutionOption>): string | undefined {
  const base = line.value('base')
  if (base === undefined || /^[a-z][a-z\d+.-]+:/i.test(base)) return base
  if (!existsSync(base))
    throw usageError(`--base needs a URL, or a file or folder; there is no ${JSON.stringify(base)}.`)
  const { href } = pathToFileURL(absolute(base))
  return statSync(base).isDirectory() ? `${href.replace(/\/$/, '')}/` : href
}

/** The scheme for URLs that have none; null if it must be guessed. Throws `invalid-option`. */
export function readDefaultScheme(line: GivenOptions<ResolutionOption>): string | null {
  const scheme = line.value('proto-default')
  if (scheme === undefined || /^[a-z][a-z\d+.-]*$/i.test(scheme)) return scheme ?? null
  throw usageError(`--proto-default needs the name of a scheme, such as https; not ${JSON.stringify(scheme)}.`)
}

/** Defaults for URLs: the servers of News and LDAP, the password of anonymous FTP, whether TLS is required. */
export function readDefaults(
  line: GivenOptions<ResolutionOption | 'anonymous-password' | 'ssl-reqd'>,
  env: NodeJS.ProcessEnv,
): NonNullable<ResolveOptions['defaults']> {
  const newsServer = line.value('news-server') ?? (env.NNTPSERVER || systemNewsServer())
  const anonymousPassword = line.value('anonymous-password')
  if (/[\r\n\0]/.test(anonymousPassword ?? '')) {
    throw usageError('--anonymous-password needs one line of text, without line ends.')
  }
  return {
    ...(newsServer !== undefined && { newsServer }),
    // Its files are read only for the first URL that needs them.
    ldapServer: once(() => defaultLdapServer(env)),
    ...(anonymousPassword !== undefined && { anonymousPassword }),
    requireTls: line.has('ssl-reqd'),
    guessType: line.has('guess-type'),
    pathAsIs: line.has('path-as-is'),
  }
}

function once<T>(give: () => T): () => T {
  let given: { readonly value: T } | undefined
  return () => {
    given ??= { value: give() }
    return given.value
  }
}

/** The News server in the file in which Debian, the clients of INN and tin look for it. */
function systemNewsServer(): string | undefined {
  try {
    return readFileSync('/etc/news/server', 'utf8').split('\n', 1)[0]?.trim() || undefined
  } catch {
    return undefined
  }
}
