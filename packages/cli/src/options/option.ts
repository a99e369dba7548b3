import type { CommandName } from '../commands/index.ts'

/** One option, a row in the table of its category. */
export interface OptionRow<Name extends string = string> {
  readonly long: Name
  readonly short?: string
  /**
   * The placeholder of its argument in --help; an option without one is a switch. Completions follow from it: FILE is a
   * file, DIR a folder, URL and SCHEME a scheme, and words in small letters, as `a|b`, stand for themselves.
   */
  readonly arg?: string
  /**
   * Gives all the values that the argument can have, if they are few; completions offer them. It is a function, as each
   * start makes the table.
   */
  readonly values?: () => readonly string[]
  readonly help: string
  /**
   * Whether it changes what is sent to servers, or whether anything is, perhaps with another option only, as -o does
   * with -C: explain takes it then, beside `commands`. It is required, so that no row forgets it.
   */
  readonly sent: boolean
  /** The commands that take it; absent: all of them. */
  readonly commands?: readonly CommandName[]
  readonly example: string
  /** With --next, it is for the URLs of all groups, as in curl. */
  readonly global?: true
}

/** One option as it was typed, by its long name; the value of a switch is "". */
export interface Given<Name extends string = string> {
  readonly name: Name
  readonly value: string
  /** The configuration file and line that it stands in; absent: it was typed. */
  readonly place?: string
}

/** A command line, in the view of a reader of some of its options. */
export interface GivenOptions<Name extends string> {
  readonly operands: readonly string[]
  /** All options, in the order in which they were typed. */
  readonly given: readonly Given[]
  has(name: Name): boolean
  values(name: Name): string[]
  /** The last value of an option, which counts, as in curl. */
  value(name: Name): string | undefined
}

export const get: readonly CommandName[] = ['get', 'open']
export const network: readonly CommandName[] = ['get', 'ls', 'open', 'check', 'mirror']
export const urls: readonly CommandName[] = ['get', 'ls', 'open', 'explain']
