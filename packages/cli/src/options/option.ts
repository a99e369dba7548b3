import type { CommandName } from '../commands/index.ts'

/** One option, a row in the table of its category. */
export interface OptionRow<Name extends string = string> {
  readonly long: Name
  readonly short?: string
  /**
   * The placeholder of the argument in --help; an option without one is a switch. Completions are made from it: FILE is
   * a file, DIR a folder, URL and SCHEME a scheme, and words in lower case, such as `a|b`, are values.
   */
  readonly arg?: string
  /**
   * Returns all values that the argument can have, if they are few; completions offer them. This is a function, since
   * each start makes the table.
   */
  readonly values?: () => readonly string[]
  readonly help: string
  /**
   * Whether the option changes what is sent to servers, or whether anything is sent, perhaps only together with another
   * option, as -o does with -C. explain takes such options in addition to `commands`. The member is required, so that
   * no row forgets it.
   */
  readonly sent: boolean
  /** The commands that take the option; absent if all do. */
  readonly commands?: readonly CommandName[]
  readonly example: string
  /** The option applies to the URLs of all groups of --next, as in curl. */
  readonly global?: true
}

/** One option as typed, by its long name; a switch has the value "". */
export interface Given<Name extends string = string> {
  readonly name: Name
  readonly value: string
  /** The configuration file and line of the option; absent if it was typed. */
  readonly place?: string
}

/** A command line as seen by code that reads some of its options. */
export interface GivenOptions<Name extends string> {
  readonly operands: readonly string[]
  /** All options, in the order of typing. */
  readonly given: readonly Given[]
  has(name: Name): boolean
  values(name: Name): string[]
  /** The last value of an option, which is the one that applies, as in curl. */
  value(name: Name): string | undefined
}

export const get: readonly CommandName[] = ['get', 'open']
export const network: readonly CommandName[] = ['get', 'ls', 'open', 'check', 'mirror']
export const urls: readonly CommandName[] = ['get', 'ls', 'open', 'explain']
