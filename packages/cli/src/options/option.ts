import type { AdvisedOption } from '@retriever/core/internal'
import type { RequestOptions } from '@retriever/fetchers/internal'
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
  /** The options of the library that it sets. Their names in messages are replaced by this flag. */
  readonly sets?: readonly AdvisedOption[]
  /** Makes the value of the first of them, an option of a retrieval, of the values typed: "" for a switch. */
  readonly read?: (typed: readonly string[]) => unknown
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
/** The commands that save what they retrieve. */
export const retrieving: readonly CommandName[] = ['get', 'open', 'mirror']
export const network: readonly CommandName[] = ['get', 'ls', 'open', 'check', 'mirror']
/** Those, and the workers of queues. */
export const working: readonly CommandName[] = [...network, 'queue']
/** Those, and the gateway. */
export const connecting: readonly CommandName[] = [...working, 'gateway']
export const urls: readonly CommandName[] = ['get', 'ls', 'open', 'explain']

/** The type of an option of a retrieval by its path: `http.split` is a number. */
type ValueAt<Path, Options> = Path extends keyof Options
  ? NonNullable<Options[Path]>
  : Path extends `${infer Group extends keyof Options & string}.${infer Name}`
    ? ValueAt<Name, NonNullable<Options[Group]>>
    : never

type Sets = Required<Pick<OptionRow, 'sets' | 'read'>>

/** The members of a row that sets an option of each retrieval to what `read` makes of the last value typed. */
export function sets<const Path extends AdvisedOption>(
  path: Path,
  read: (text: string, all: readonly string[]) => ValueAt<Path, RequestOptions>,
): Sets {
  return { sets: [path], read: (typed) => read(typed.at(-1) ?? '', typed) }
}
