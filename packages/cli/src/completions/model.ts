import { builtinSchemes } from '@retriever/core'
import { builtinMechanisms } from '@retriever/fetchers'
import { type CommandName, commandNames, commandSpecs } from '../commands/index.ts'
import { helpWords } from '../help/index.ts'
import { applies, type OptionSpec, options } from '../options/index.ts'
import { protocols } from '../options/servers.ts'

/** The words that can stand in a place of the command line. All empty: only the user knows. */
export interface Completion {
  readonly files: boolean
  readonly folders: boolean
  readonly words: readonly string[]
  /** The beginnings of URLs: more follows without a space. */
  readonly urls: readonly string[]
}

/** Options that belong to the same commands. */
export interface OptionGroup {
  readonly commands: readonly CommandName[]
  readonly options: readonly OptionSpec[]
}

/** The schemes of URLs that name no host. */
const withoutHost = ['mailto', 'news', 'snews', 'data']

const schemes = builtinSchemes
  .filter(({ mechanism, handoff, session }) => builtinMechanisms.includes(mechanism) && (!handoff || session))
  .map(({ name }) => name)

const urls = schemes.map((name) => `${name}:${withoutHost.includes(name) ? '' : name === 'file' ? '///' : '//'}`)

/** The values that a placeholder stands for. */
const placeholders: Readonly<Record<string, readonly string[]>> = { SCHEME: schemes, PROTOCOL: protocols }

/** The words that a placeholder of the table asks for: `FILE`, `DATE|FILE`, `[DIR] [PROTOCOL...]`, `bash|zsh|fish`. */
function completionOf(placeholder: string, values: readonly string[] = []): Completion {
  const names: readonly string[] = placeholder.match(/[A-Z]+/g) ?? []
  const literal = /^[a-z\d.-]+(?:\|[a-z\d.-]+)+$/.test(placeholder) ? placeholder.split('|') : []
  return {
    files: names.includes('FILE') && !placeholder.includes('='),
    folders: names.includes('DIR'),
    words: [...values, ...literal, ...names.flatMap((name) => placeholders[name] ?? [])],
    urls: names.includes('URL') ? urls : [],
  }
}

/** The values of an option; null: it is a switch. */
export function valuesOf({ arg, values }: OptionSpec): Completion | null {
  return arg === undefined ? null : completionOf(arg, values?.())
}

export const operandsOf = (command: CommandName): Completion => completionOf(commandSpecs[command].operands)

/** The words behind `help`, `--help` and `-h`. */
export const helpCompletion: Completion = {
  files: false,
  folders: false,
  words: [...helpWords, ...options.map(({ long }) => `--${long}`)],
  urls: [],
}

/** The words that can be the first: commands, and the URLs of get. */
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

/** `-o` and `--output`, as they are typed. */
export const namesOf = ({ long, short }: OptionSpec): string[] =>
  short === undefined ? [`--${long}`] : [`-${short}`, `--${long}`]

/** A word for a shell, in single quotes: the same in bash, zsh and fish for words without backslashes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The options that take a value, by what completes it: one branch of a shell's `case` for each. */
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
