import type { About } from '../../contract/about.ts'
import type { Extent, NamedRow, NamedRows, OptionKind, OptionKinds, OptionRow } from '../../contract/options.ts'
import { record } from '../../kit/options.ts'
import { sharedRows } from '../../kit/shared-rows.ts'
import { callKinds } from '../client-options.ts'

/** The options of a retrieval that a client knows: they follow from its protocols. */
export interface KnownOptions {
  /** Those that stand under the name of a mechanism. */
  readonly named: ReadonlyMap<string, NamedRows>
  /** The checks of what a fetcher gets. */
  readonly request: OptionKinds
  /** The checks of a call. */
  readonly call: OptionKinds
  /** The checks of what each retrieval of a tree gets under the name of a mechanism. */
  readonly tree: OptionKinds
}

export const extents: readonly unknown[] = ['all', 'objects', 'listings'] satisfies Extent[]

type Declaring = Pick<About, 'mechanism' | 'options'>

/** What a client knows by its protocols, and by the caller's fetchers, which have not been checked. */
export function knownOptions(protocols: readonly Declaring[], fetchers: unknown): KnownOptions {
  const own: readonly Declaring[] = Array.isArray(fetchers) ? fetchers.map(Object) : []
  const named = new Map<string, NamedRows>()
  for (const { mechanism, options } of [...protocols, ...own]) if (isRows(options)) named.set(mechanism, options)
  const request = { ...kindsOf(sharedRows), ...kindsOfAll(named, () => true) }
  const tree = kindsOfAll(named, ({ inTrees }) => inTrees === true)
  return { named, request, call: { ...callKinds, ...request }, tree }
}

function kindsOfAll(named: KnownOptions['named'], isMeant: (row: NamedRow) => boolean): OptionKinds {
  const kinds = [...named].map(([mechanism, rows]) => {
    return [mechanism, kindsOf(Object.fromEntries(Object.entries(rows).filter(([, row]) => isMeant(row))))] as const
  })
  return Object.fromEntries(kinds.filter(([, each]) => Object.keys(each).length > 0))
}

function kindsOf(rows: Readonly<Record<string, OptionRow>>): Readonly<Record<string, OptionKind>> {
  return Object.fromEntries(Object.entries(rows).map(([name, { kind }]) => [name, kind]))
}

/**
 * Merges the options of one retrieval into those of all retrievals, which they replace. Under the name of a mechanism,
 * each member replaces the member of its name alone. An option that is undefined counts as absent.
 */
export function mergedOptions<Options extends object>(all: Options, own: Options, known: KnownOptions): Options {
  const merged = Object.entries(own).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return []
    return [[name, known.named.has(name) ? { ...Object(Reflect.get(all, name)), ...givenOf(value) } : value]]
  })
  return { ...all, ...Object.fromEntries(merged) }
}

function givenOf(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Whether a value of a caller is an object of rows. */
export function isRows(value: unknown): value is NamedRows {
  return record[1](value) && Object.values(Object(value)).every(isRow)
}

function isRow(value: unknown): boolean {
  const { kind, extent } = Object(value) as Partial<NamedRow>
  return Array.isArray(kind) && typeof kind[1] === 'function' && extents.includes(extent)
}
