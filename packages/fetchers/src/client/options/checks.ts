import type { Scheme } from '@retriever/core'
import type { RequestOptions } from '../../contract/fetcher.ts'
import { invalidOption } from '../../kit/limits.ts'
import {
  anything,
  checkOptions,
  count,
  duration,
  fieldsOf,
  flag,
  location,
  number,
  type OptionKind,
  record,
} from '../../kit/options.ts'
import type { BatchItem } from '../batch/outcome.ts'
import {
  type BatchOptions,
  type ClientOptions,
  type ConnectOptions,
  clientKinds,
  connectKinds,
  defaultsKinds,
  type RetrieveOptions,
} from '../client-options.ts'
import type { KnownOptions } from './known.ts'

const capKinds: Readonly<Record<Exclude<keyof BatchOptions, keyof RetrieveOptions>, OptionKind>> = {
  concurrency: count,
  perHost: count,
  interval: duration,
  intervalCap: count,
  giveUpHosts: flag,
  keep: flag,
}

const itemKinds: Readonly<Record<keyof BatchItem, OptionKind>> = {
  url: location,
  key: anything,
  options: record,
  priority: number,
}

/** The names of the options of a call and of a client. */
export function optionNames({ call }: KnownOptions): readonly string[] {
  return Object.keys({ ...call, ...clientKinds })
}

/** Whether only a call has the option. Others belong to the client, or to either of them. */
export function isOfCall(name: string, { call }: KnownOptions): boolean {
  return Object.hasOwn(call, name) && !Object.hasOwn(clientKinds, name)
}

/** The options of a call that its fetcher gets. */
export function requestOf({
  signal: _signal,
  base: _base,
  linkedFrom: _linkedFrom,
  limits: _limits,
  policy: _policy,
  retryOn: _retryOn,
  onEvent: _onEvent,
  onHead: _onHead,
  onBody: _onBody,
  use: _use,
  headers,
  ...request
}: RetrieveOptions): RequestOptions {
  const fields = headers === undefined ? null : fieldsOf(headers)
  return fields === null ? request : { ...request, headers: fields }
}

/** The options of a client that belong to its protocols. */
export type FurtherKinds = Readonly<Record<string, OptionKind>>

/** Checks the options of retrieve(), which makes a client of its own. Throws RetrievalError `invalid-option`. */
export function checkSingle(
  options: ClientOptions & RetrieveOptions,
  further: FurtherKinds,
  { call }: KnownOptions,
): void {
  checkOptions(options, { ...call, ...clientKinds, ...further })
}

/** Throws RetrievalError `invalid-option`. */
export function checkClient(options: ClientOptions, further: FurtherKinds): void {
  checkOptions(options, { ...clientKinds, ...further })
  checkRate(options)
  if (options.fetchFallback !== undefined && options.policy?.publicOnly === true) {
    const expected = 'absent under `policy.publicOnly`, which cannot check the addresses that it connects to'
    throw invalidOption('fetchFallback', expected, options.fetchFallback)
  }
  checkOptions(options.defaults ?? {}, defaultsKinds, 'defaults.')
  const ofFetchers = (options.fetchers ?? []).flatMap((fetcher) => fetcher?.schemes ?? [])
  for (const scheme of [...(options.schemes ?? []), ...ofFetchers]) checkScheme(scheme)
}

/** The types say the rest; these members are those without which nothing works. */
function checkScheme(scheme: unknown): void {
  const { name, mechanism, resolve } = Object(scheme) as Partial<Record<keyof Scheme, unknown>>
  if (typeof name !== 'string' || typeof mechanism !== 'string' || typeof resolve !== 'function') {
    throw invalidOption('schemes', 'a list of objects with `name`, `mechanism` and `resolve`', scheme)
  }
}

/** Throws RetrievalError `invalid-option`. */
export function checkRetrieve(options: RetrieveOptions, { call }: KnownOptions): void {
  checkOptions(options, call)
  checkBeginning(options)
}

/** Throws RetrievalError `invalid-option`. */
export function checkConnect(options: ConnectOptions): void {
  checkOptions(options, connectKinds)
  if ((options.columns === undefined) !== (options.rows === undefined)) {
    throw invalidOption('columns', 'given together with `rows`', options.columns)
  }
}

/** Throws RetrievalError `invalid-option`. */
export function checkBatch(options: BatchOptions, { call }: KnownOptions): void {
  checkOptions(options, { ...capKinds, ...call })
  checkBeginning(options)
  checkRate(options)
}

/** Checks the entry of a list at this position, of which `item` is made. Throws RetrievalError `invalid-option`. */
export function checkItem(item: BatchItem, index: number, known: KnownOptions): void {
  checkOptions(item, itemKinds, `urls[${index}].`)
  if (item.url === undefined) {
    throw invalidOption(
      `urls[${index}]`,
      `${location[0]}, or an object that has one as \`url\``,
      'url' in item ? undefined : item,
    )
  }
  if (item.options !== undefined) checkRetrieve(item.options, known)
}

function checkRate({ interval, intervalCap }: BatchOptions): void {
  if (intervalCap !== undefined && interval === undefined) {
    throw invalidOption('intervalCap', 'absent if there is no `interval`', intervalCap)
  }
}

/** Throws RetrievalError `invalid-option`. */
export function checkBeginning(options: Pick<RequestOptions, 'range' | 'resumeFrom'>): void {
  if (options.range !== undefined && options.resumeFrom !== undefined) {
    throw invalidOption('resumeFrom', 'absent if there is a `range`', options.resumeFrom)
  }
}
