/** Finds options by their names: whole, abbreviated as curl allows it, or with `no-` in front. */

import { commandNames } from '../commands/index.ts'
import { acceptedOptions, notYet, readNames, refused, whyNot } from '../curl/index.ts'
import { usageError } from '../exit-codes.ts'
import { applies, type OptionName, type OptionSpec, options } from '../options/index.ts'
import { hintFor, nearest } from '../suggest.ts'

/** An option that was found by its name. */
export type FoundOption =
  | { readonly kind: 'own'; readonly option: OptionSpec<OptionName>; readonly isOn: boolean }
  /** An option of curl that has no effect. */
  | {
      readonly kind: 'accepted'
      readonly long: string
      readonly takesValue: boolean
      /** The switches of Retriever that some of its values mean. */
      readonly means?: Readonly<Record<string, OptionName>> | undefined
      /** Why `no-` cannot turn the option off. */
      readonly whyOn?: string
    }

const own = new Map(options.map((option) => [option.long as string, option]))
const ownByLetter = new Map(options.map((option) => [option.short, option]))
const accepted = new Map(acceptedOptions.map((option) => [option.long, option]))
const acceptedByLetter = new Map(acceptedOptions.map((option) => [option.short, option]))
/** The options of curl that are errors here. */
const lacking = new Set([...refused, ...notYet].flatMap((row) => row.options.map((text) => readNames(text).long)))

/** The option of a letter, as in `-o`. Throws `invalid-option`. */
export function findLetter(letter: string, command: string | undefined): FoundOption {
  const option = ownByLetter.get(letter)
  if (option !== undefined) return { kind: 'own', option, isOn: true }
  const other = acceptedByLetter.get(letter)
  if (other !== undefined) return asAccepted(other)
  throw unknownOption(`-${letter}`, command)
}

/**
 * The option of a long name. As in curl, an unambiguous beginning of the name is enough, and `no-` before the whole
 * name of a switch turns it off. Unlike in curl, a beginning of several names means the first of them if all others
 * continue it: `--out` is --output, not --output-dir. Throws `invalid-option`.
 */
export function findName(typed: string, command: string | undefined): FoundOption {
  const word = typed.toLowerCase()
  return findWhole(word) ?? findNegated(word) ?? findBeginning(typed, word, command)
}

/** Names that newer curls give to options. */
const otherNames: Readonly<Record<string, OptionName>> = { 'show-headers': 'include' }

function findWhole(long: string): FoundOption | undefined {
  const option = own.get(otherNames[long] ?? long)
  if (option !== undefined) return { kind: 'own', option, isOn: true }
  const other = accepted.get(long)
  return other && asAccepted(other)
}

function asAccepted({ long, takesValue, row }: (typeof acceptedOptions)[number]): FoundOption {
  return { kind: 'accepted', long, takesValue, means: row.means }
}

/**
 * The option that `--no-silent` turns off, or that `--clobber` turns off if the table has --no-clobber; undefined for
 * other words.
 */
function findNegated(word: string): FoundOption | undefined {
  const opposite = `no-${word}`
  const negative = own.get(opposite)
  if (negative !== undefined && negative.arg === undefined) return { kind: 'own', option: negative, isOn: false }
  if (accepted.has(opposite)) return { kind: 'accepted', long: opposite, takesValue: false }
  if (!word.startsWith('no-')) return undefined
  const long = word.slice('no-'.length)
  const found = findWhole(long)
  // An option that is refused is always off, so turning it off has no effect.
  if (found === undefined) return lacking.has(long) ? { kind: 'accepted', long, takesValue: false } : undefined
  const takesValue = found.kind === 'own' ? found.option.arg !== undefined : found.takesValue
  if (takesValue) throw usageError(`There is no option --${word}: --${long} takes a value, and is no switch.`)
  if (found.kind === 'own') return { ...found, isOn: false }
  const why = accepted.get(long)?.row.why
  return why?.endsWith(' anyway') ? { ...found, whyOn: `--${word} is refused: ${why}.${hintOff(long)}` } : found
}

/** Advice for a user who turns off an option that is always on. */
function hintOff(long: string): string {
  if (long === 'fail') return ' Use --no-fail.'
  return long === 'location' ? ' Use --max-redirs 0 to follow none.' : ''
}

function findBeginning(typed: string, word: string, command: string | undefined): FoundOption {
  const shown = `--${typed}`
  if (lacking.has(word) || hintFor(shown) !== undefined) throw unknownOption(shown, command)
  const all = [...own.keys(), ...accepted.keys(), ...lacking].filter((name) => name?.startsWith(word))
  const names = [...new Set(all)].filter((name) => name !== undefined).sort()
  const [first] = names
  if (first === undefined || word === '') throw unknownOption(shown, command)
  if (names.some((name) => !name.startsWith(first))) {
    const listed = names.slice(0, 6).map((name) => `--${name}`)
    throw usageError(`${shown} may be ${listed.join(', ')}${names.length > 6 ? ', ...' : ''}: write more of it.`)
  }
  const found = findWhole(first)
  if (found === undefined) throw unknownOption(`--${first}`, command)
  return found
}

function unknownOption(typed: string, word: string | undefined): Error {
  const command = commandNames.find((name) => name === word) ?? 'get'
  const why = whyNot(typed)
  if (why !== undefined) return usageError(why)
  const known = options
    .filter((option) => applies(option, command))
    .flatMap(({ long, short }) => (short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`]))
  const meant = typed.startsWith('--')
    ? (nearest(typed, known) ?? nearest(typed.replace(/^--no-/, '--'), known))
    : undefined
  const guess = meant === undefined ? 'retrieve help all lists all options.' : `Did you mean ${meant}?`
  return usageError(`There is no option ${typed}. ${hintFor(typed) ?? guess}`)
}
