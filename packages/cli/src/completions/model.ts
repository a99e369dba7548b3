import { builtinSchemes } from '@retriever/core'
import { builtinMechanisms } from '@retriever/fetchers'
import { type CommandName, commandNames, commandSpecs } from '../commands/index.ts'
import { helpWords } from '../help/index.ts'
import { applies, type OptionSpec, options } from '../options/index.ts'
import { protocols } from '../options/servers.ts'

/** The words that can stand in one place of the command line. All members are empty if only the user knows the word. */
export interface Completion {
  readonly files: boolean
  readonly folders: boolean
  readonly words: readonly string[]
  /** The beginnings of URLs, behind which a shell must add no space. */
  readonly urls: readonly string[]
}

/** The options of the same commands. */
export interface OptionGroup {
  readonly commands: readonly CommandName[]
  readonly options: readonly OptionSpec[]
}

/** The schemes whose URLs name no host. */
const withoutHost = ['mailto', 'news', 'snews', 'data']

const schemes = builtinSchemes
  .filter(({ mechanism, handoff, session }) => builtinMechanisms.includes(mechanism) && (!handoff || session))
  .map(({ name }) => name)

const urls = schemes.map((name) => `${name}:${withoutHost.includes(name) ? '' : name === 'file' ? '///' : '//'}`)

/** The values that a placeholder stands for. */
const placeholders: Readonly<Record<string, readonly string[]>> = { SCHEME: schemes, PROTOCOL: protocols }

/** Reads a placeholder of the table, such as `FILE`, `DATE|FILE`, `[DIR] [PROTOCOL...]`, `bash|zsh|fish`. */
function completionOf(placeholder: string, values: readonly string[] = []): Completion {
  const names: readonly string[] = placeholder.match(/[A-Z]+/g) ?? []
  const [first = ''] = placeholder.split(' ')
  const literal = /^[a-z\d./-]+(?:\|[a-z\d./-]+)+$/.test(first) ? first.split('|') : []
  return {
    files: names.includes('FILE') && !placeholder.includes('='),
    folders: names.includes('DIR'),
    words: [...values, ...literal, ...names.flatMap((name) => placeholders[name] ?? [])],
    urls: names.includes('URL') ? urls : [],
  }
}

/** The values of an option; null if it is a switch. */
export function valuesOf({ arg, values }: OptionSpec): Completion | null {
  return arg === undefined ? null : completionOf(arg, values?.())
}

export const operandsOf = (command: CommandName): Completion => completionOf(commandSpecs[command].operands)

/** The words that can follow `help`, `--help` and `-h`. */
export const helpCompletion: Completion = {
  files: false,
  folders: false,
  words: [...helpWords, ...options.map(({ long }) => `--${long}`)],
  urls: [],
}

/** The words that can come first: commands, and the URLs of get. */
export const firstWords: Completion = { ...operandsOf('get'), words: ['help', ...commandNames] }

export const optionGroups: readonly OptionGroup[] = groups()

function groups(): OptionGroup[] {
  const byCommands = new Map<string, OptionGroup & { options: OptionSpec[] }>()
  for (const option of options) {
    const commands = commandNames.filter((name) => applies(option, name))
    const group = byCommands.get(commands.join()) ?? { commands, options: [] }
    group.options.push(option)
    byCommands.set(commands.join(), group)
  }
  return [...byCommands.values()]
}

/** The names of an option as they are typed: `-o` and `--output`. */
export const namesOf = ({ long, short }: OptionSpec): string[] =>
  short === undefined ? [`--${long}`] : [`-${short}`, `--${long}`]

/** A word in single quotes. bash, zsh and fish read words without backslashes in the same way. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * The options that take a value, grouped by the completion of the value: each group is one branch of a shell's `case`.
 */
export function optionsByValue(): { names: string[]; values: Completion }[] {
  const byValue = new Map<string, { names: string[]; values: Completion }>()
  for (const option of options) {
    const values = valuesOf(option)
    if (values === null) continue
    const key = JSON.stringify(values)
    byValue.set(key, { names: [...(byValue.get(key)?.names ?? []), ...namesOf(option)], values })
  }
  return [...byValue.values()]
}
