import { findScheme, octetsToText, parseUrl } from '@retriever/core'
import { jsonLine } from '../terminal/output.ts'
import { certificatesText } from './certificates.ts'
import type { Facts } from './facts.ts'

/** What the command knows about a retrieval when it has ended. */
export interface Outcome {
  readonly facts: Facts
  /** The code of the last reply; 0 if there was none. */
  readonly status: number
  readonly url: string
  /** The number of the URL in the command line, from 0. */
  readonly index: number
  readonly method: 'GET' | 'HEAD'
  readonly exit: number
  /** The sentence of the error; null if there was none. */
  readonly error: string | null
}

/** Seconds, as curl prints them: `0.012345`. */
class Seconds {
  readonly text: string

  constructor(milliseconds: number | null | undefined) {
    this.text = ((milliseconds ?? 0) / 1000).toFixed(6)
  }
}

type Value = string | number | null | Seconds

/** The variables of -w that apply to Retriever, by curl's names, in the order of its manual. */
const variables: Readonly<Record<string, (outcome: Outcome) => Value>> = {
  certs: ({ facts }) => certificatesText(facts.chain),
  content_type: ({ facts }) => facts.fields('content-type').at(-1) ?? null,
  errormsg: ({ error }) => error,
  exitcode: ({ exit }) => exit,
  filename_effective: ({ facts }) => facts.file,
  http_code: ({ status }) => status,
  http_connect: () => 0,
  http_version: ({ facts }) => facts.head?.version ?? '0',
  local_ip: ({ facts }) => facts.local[0],
  local_port: ({ facts }) => facts.local[1],
  method: ({ method }) => method,
  num_certs: ({ facts }) => facts.chain.length,
  num_connects: ({ facts }) => facts.connections,
  num_headers: ({ facts }) => facts.head?.fields.length ?? 0,
  num_redirects: ({ facts }) => facts.redirects,
  proxy_ssl_verify_result: () => 0,
  redirect_url: ({ facts }) => redirectOf(facts),
  referer: ({ facts }) => facts.referer,
  remote_ip: ({ facts }) => facts.address,
  remote_port: ({ facts }) => facts.port,
  response_code: ({ status }) => status,
  scheme: schemeOf,
  size_download: ({ facts }) => facts.received,
  size_header: ({ facts }) => facts.headSize,
  size_request: ({ facts }) => facts.sentSize,
  size_upload: () => 0,
  speed_download: ({ facts }) => speedOf(facts),
  speed_upload: () => 0,
  ssl_verify_result: ({ facts }) => (facts.isTrusted ? 0 : 1),
  time_appconnect: ({ facts }) => new Seconds(facts.timings?.secured),
  time_connect: ({ facts }) => new Seconds(facts.timings?.connected),
  time_namelookup: ({ facts }) => new Seconds(facts.timings?.lookedUp),
  time_pretransfer: ({ facts }) => new Seconds(facts.timings?.requested),
  time_redirect: ({ facts }) => new Seconds(facts.timings?.redirected),
  time_starttransfer: ({ facts }) => new Seconds(facts.timings?.responded),
  time_total: ({ facts }) => new Seconds(facts.timings?.ended),
  url: ({ url }) => url,
  url_effective: ({ facts, url }) => facts.url || url,
  urlnum: ({ index }) => index,
}

/** Variables that curl has had since 7.88. The %{json} of that version contains none of them. */
const later: Readonly<Record<string, (outcome: Outcome) => Value>> = {
  num_retries: ({ facts }) => facts.retries,
  proxy_used: ({ facts }) => (facts.isProxied ? 1 : 0),
  size_delivered: ({ facts }) => facts.received,
  time_posttransfer: ({ facts }) => new Seconds(facts.timings?.requested),
  xfer_id: ({ index }) => index,
}

/** The scheme in capitals, as in curl; null if no server was reached. */
function schemeOf({ facts, error }: Outcome): string | null {
  if (error !== null && facts.address === '' && !facts.url.startsWith('file:')) return null
  return /^[^:]+/.exec(facts.url)?.[0].toUpperCase() ?? null
}

/** Where the last answer redirects to, if the redirect was not followed. */
function redirectOf(facts: Facts): string | null {
  const [location] = facts.fields('location')
  if (location === undefined || Math.floor(facts.status / 100) !== 3) return null
  try {
    return new URL(location, facts.url).href
  } catch {
    return location
  }
}

function speedOf({ received, timings }: Facts): number {
  return timings?.ended ? Math.floor((1000 * received) / timings.ended) : 0
}

/** The text of a variable; undefined if no variable has that name. */
export function textOf(name: string, outcome: Outcome): string | undefined {
  if (name === 'json') return jsonOf(outcome)
  if (name === 'header_json') return headerJsonOf(outcome.facts)
  const [, kind, part = ''] = /^(urle?)\.(.+)$/.exec(name) ?? []
  if (kind !== undefined) return partOf(kind === 'url' ? outcome.facts.typed : outcome.facts.url, part)
  const read = Object.hasOwn(variables, name) ? variables[name] : Object.hasOwn(later, name) ? later[name] : undefined
  if (read === undefined) return undefined
  const value = read(outcome)
  if (name === 'http_code' || name === 'response_code' || name === 'http_connect') return String(value).padStart(3, '0')
  return value instanceof Seconds ? value.text : String(value ?? '')
}

/** A part of a URL by curl's name; undefined if no part has that name. */
function partOf(url: string, part: string): string | undefined {
  if (!/^(?:scheme|user|password|options|host|port|path|query|fragment|zoneid)$/.test(part)) return undefined
  if (url === '') return ''
  const { scheme, user, password, host, port, urlPath, query, fragment } = parseUrl(url)
  const zone = /%(?:25)?([^%\]]*)\]$/.exec(host ?? '')
  const parts: Readonly<Record<string, string | number | null | undefined>> = {
    ...{ scheme, user, password, query, fragment },
    host: zone === null ? host : host?.replace(zone[0], ']'),
    port: port ?? findScheme(scheme)?.defaultPort,
    path: host === null ? urlPath : `/${urlPath ?? ''}`,
    zoneid: zone?.[1],
  }
  return String(parts[part] ?? '')
}

/** All variables as one object on one line; as in curl, times have six decimals. */
function jsonOf(outcome: Outcome): string {
  const members = Object.entries(variables).map(([name, read]) => {
    const value = read(outcome)
    return `${quoted(name)}:${value instanceof Seconds ? value.text : quoted(value)}`
  })
  return `{${members.join(',')}}`
}

/** The header fields by lower-case name, one on each line, as curl prints them. */
function headerJsonOf({ head }: Facts): string {
  const byName = new Map<string, string[]>()
  for (const [name, value] of head?.fields ?? []) {
    const key = name.toLowerCase()
    byName.set(key, [...(byName.get(key) ?? []), octetsToText(value)])
  }
  return `{${[...byName].map(([name, values]) => `${quoted(name)}:${quoted(values)}`).join(',\n')}\n}`
}

function quoted(value: unknown): string {
  return jsonLine(value).trimEnd()
}
