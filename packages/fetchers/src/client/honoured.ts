import { type AccessPlan, adviceText, type Mechanism, type Refusal } from '@retriever/core'
import type { Fetcher, Outcome, RequestOptions, RetrievalContext } from '../contract/fetcher.ts'
import { invalidOption } from '../kit/limits.ts'
import { isSeveral } from '../kit/request-options.ts'

type OptionName = keyof RequestOptions

/** The kind of results on which an option has an effect. */
type Extent = 'all' | 'objects' | 'listings'

/** The built-in fetchers that act on each option. A new option is a new line here. */
const honouredBy: Readonly<Record<OptionName, Readonly<Partial<Record<Mechanism, Extent>>> | 'everywhere'>> = {
  range: { http: 'all', ftp: 'objects', sftp: 'objects', nfs: 'objects', file: 'objects', afs: 'objects' },
  resumeFrom: { http: 'all', ftp: 'objects', sftp: 'objects', nfs: 'objects', file: 'objects', afs: 'objects' },
  ifChangedSince: { http: 'all', ftp: 'objects', sftp: 'all', nfs: 'all', file: 'all', afs: 'all', prospero: 'all' },
  ifUnchangedSince: { http: 'all', ftp: 'objects', sftp: 'all', nfs: 'all', file: 'all', afs: 'all', prospero: 'all' },
  ifNoneMatch: { http: 'all' },
  accept: { http: 'all', gopher: 'all', z3950: 'objects' },
  acceptLanguage: { http: 'all', gopher: 'all', man: 'objects', ghelp: 'all', toc: 'all' },
  form: { gopher: 'all', gemini: 'all' },
  limit: { nntp: 'listings', ldap: 'listings', imap: 'listings', wais: 'listings', z3950: 'listings' },
  count: { ws: 'all', mqtt: 'all' },
  jsonMessages: { ws: 'all', mqtt: 'all' },
  relevantTo: { wais: 'listings' },
  headers: { http: 'all', ws: 'all' },
  virtualHost: { http: 'all' },
  autoReferer: { http: 'all' },
  login: { http: 'all', ws: 'all', mqtt: 'all' },
  digest: { http: 'all', rtsp: 'all', ws: 'all' },
  head: 'everywhere',
  compressed: { http: 'all' },
  fail: { http: 'all' },
  split: { http: 'all' },
  followAccess: { prospero: 'all' },
  charset: 'everywhere',
}

const optionNames = Object.keys(honouredBy) as OptionName[]

/** Values that have no effect anyway. */
const neutral: Readonly<Partial<Record<OptionName, unknown>>> = {
  jsonMessages: false,
  autoReferer: false,
  digest: false,
  compressed: false,
  fail: true,
  split: 1,
  followAccess: false,
}

/** The names of the built-in fetchers' mechanisms in messages. */
const names: Readonly<Partial<Record<Mechanism, string>>> = {
  http: 'HTTP',
  ftp: 'FTP',
  gopher: 'Gopher',
  nntp: 'NNTP',
  sftp: 'SFTP',
  nfs: 'NFS',
  pop3: 'POP3',
  imap: 'IMAP',
  ws: 'A WebSocket',
  mqtt: 'MQTT',
  file: 'A file URL',
  telnet: 'Telnet',
  mailto: 'A mailto URL',
  mailserver: 'A mailserver URL',
  tn3270: 'TN3270',
  afs: 'AFS',
  ldap: 'LDAP',
  message: 'A message',
  data: 'A data URL',
  tftp: 'TFTP',
  urn: 'A URN',
  man: 'A manual page',
  info: 'An Info page',
  whatis: 'A whatis URL',
  ghelp: 'A help page',
  toc: 'A toc URL',
  gemini: 'Gemini',
  rtsp: 'RTSP',
  dict: 'DICT',
  wais: 'WAIS',
  z3950: 'Z39.50',
  finger: 'Finger',
  prospero: 'Prospero',
}

/** Throws `invalid-option` unless `honours` has the names of options. */
export function checkHonours({ mechanism, honours = [] }: Fetcher): void {
  const wrong = Array.isArray(honours) ? honours.find((name) => !Object.hasOwn(honouredBy, name)) : honours
  if (wrong !== undefined) throw invalidOption(`${mechanism}.honours`, `a list of ${optionNames.join(', ')}`, wrong)
}

/** Emits a remark for each option of the caller that the mechanism passes over, with what comes of it. */
export function tellPassedOver(fetcher: Fetcher, outcome: Outcome, { request, emit, url }: RetrievalContext): void {
  if (outcome.outcome === 'redirect') return
  const kind: Extent = outcome.outcome === 'retrieved' && outcome.kind === 'listing' ? 'listings' : 'objects'
  for (const option of optionNames) {
    if (request[option] === undefined || request[option] === neutral[option]) continue
    const extent = extentOf(option, fetcher)
    if (extent === 'all' || extent === kind) continue
    const name = names[fetcher.mechanism] ?? fetcher.mechanism
    const advice = { option }
    const typed = `The option ${adviceText(advice)}`
    const why = extent === 'none' ? `${name} does not support it` : `${name} supports it for ${extent} only`
    // The caller leaves out what it has already, so the option is not without effect.
    const isWhole = option === 'resumeFrom' && request.head !== true
    const effect = isWhole ? 'gets the resource from its beginning' : 'has no effect'
    emit({ type: 'remark', url, message: `${typed} ${effect}: ${why}.`, advice })
  }
}

/** Why the fetcher refuses the caller's range before it contacts anything; null: it does not. */
export function rangeRefusal(
  { range }: RequestOptions,
  plan: AccessPlan,
  { honours }: Pick<Fetcher, 'honours'>,
): Refusal | null {
  if (range === undefined) return null
  const refusal = (message: string): Refusal => ({ code: 'range-refused', message })
  const { mechanism } = plan
  // A session has no body, and a name without a place fails before.
  if (mechanism === 'telnet' || mechanism === 'urn') return null
  if (extentOf('range', { mechanism, ...(honours && { honours }) }) === 'none') {
    return refusal(`${names[mechanism] ?? mechanism} has no ranges; leave out the range.`)
  }
  if (mechanism !== 'http' && isSeveral(range) && range.length > 1) {
    return refusal('Only HTTP has several ranges in one request; ask for one at a time.')
  }
  if (plan.mechanism !== 'ftp' || (plan.name !== '' && plan.typecode !== 'a' && plan.typecode !== 'd')) return null
  return refusal('FTP has ranges of binary files only, not of text or listings; leave out the range.')
}

function extentOf(option: OptionName, { mechanism, honours }: Pick<Fetcher, 'mechanism' | 'honours'>): Extent | 'none' {
  const mechanisms = honouredBy[option]
  if (mechanisms === 'everywhere') return 'all'
  if (honours !== undefined) return honours.includes(option) ? 'all' : 'none'
  // A mechanism without a built-in fetcher may act on any option.
  return mechanisms[mechanism] ?? (names[mechanism] === undefined ? 'all' : 'none')
}
