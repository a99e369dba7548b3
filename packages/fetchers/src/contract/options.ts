/** The valid values of an option, in words and as a test. */
export type OptionKind = readonly [expected: string, fits: (value: unknown) => boolean]

/** The checks of an object of options. A member that is an object of options itself has an object of checks. */
export interface OptionKinds {
  readonly [name: string]: OptionKind | OptionKinds
}

/** The kind of results on which an option has an effect. */
export type Extent = 'all' | 'objects' | 'listings'

/** What a client knows of an option of a retrieval. */
export interface OptionRow<Value = unknown> {
  readonly kind: OptionKind
  /** A value that asks for nothing. Absent: each value asks for something. */
  readonly neutral?: Value
}

/** An option that one mechanism alone honours. */
export interface NamedRow<Value = unknown> extends OptionRow<Value> {
  /** The results on which it has an effect. */
  readonly extent: Extent
  /** True: it applies to each retrieval of a tree, so that walk() and mirror() take it. */
  readonly inTrees?: true
}

/** The options that one mechanism alone honours, by their names. */
export type NamedRows = Readonly<Record<string, NamedRow>>

/** A row for each of the options. */
export type RowsOf<Options> = { readonly [Name in keyof Options]-?: NamedRow<NonNullable<Options[Name]>> }

/**
 * The options that one mechanism alone honours, under its name. The mechanism's about.ts declares them, with their
 * rows. A package with its own mechanism does the same: `declare module '@retriever/fetchers/plugin' { interface
 * NamedOptions { readonly finger?: FingerOptions } }`, and the rows in `Fetcher.options`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: each mechanism adds its own
export interface NamedOptions {}

/** Those of them that walk() and mirror() take. */
// biome-ignore lint/suspicious/noEmptyInterface: each mechanism adds its own
export interface NamedTreeOptions {}

/** The path of such an option: `wais.relevantTo`. */
export type NamedOption = {
  [Name in keyof NamedOptions]-?: `${Name}.${keyof NonNullable<NamedOptions[Name]> & string}`
}[keyof NamedOptions]
