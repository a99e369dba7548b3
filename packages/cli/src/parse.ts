import { type CommandName, commandNames } from './commands/index.ts'
import { usageError } from './exit-codes.ts'
import { checkFirstWord, helpOperands } from './first-word.ts'
import { hintFor } from './foreign-options.ts'
import { applies, type OptionName, type OptionSpec, options } from './options/index.ts'
import { nearest } from './suggest.ts'

/** One option as it was typed; a switch has the value "". */
export interface Given {
  readonly name: OptionName
  readonly value: string
}

/** What was typed, taken apart. */
export class CommandLine {
  readonly command: CommandName
  /** Whether the command was typed, not the default. */
  readonly named: boolean
  readonly operands: readonly string[]
  /** In their order. */
  readonly given: readonly Given[]

  constructor(command: CommandName, named: boolean, operands: readonly string[], given: readonly Given[]) {
    this.command = command
    this.named = named
    this.operands = operands
    this.given = given
  }

  has(name: OptionName): boolean {
    return has(this.given, name)
  }

  values(name: OptionName): string[] {
    return this.given.filter((option) => option.name === name).map((option) => option.value)
  }

  /** The last one counts, as in curl. */
  value(name: OptionName): string | undefined {
    return this.values(name).at(-1)
  }
}

/**
 * Reads `[COMMAND] OPTIONS OPERANDS` in any order, with curl's quirks: `-o FILE`, `-oFILE`, `--output FILE`, `--output=FILE`, `-sSv`;
 * `--` ends the options. Throws `invalid-option` (exit 2).
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const words = [...argv]
  const typed: string[] = []
  const given: Given[] = []
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') typed.push(...words.splice(0))
    else if (word.startsWith('--')) given.push(longOption(word.slice(2), words))
    else if (word.startsWith('-') && word !== '-') given.push(...shortOptions(word.slice(1), words))
    else typed.push(word)
  }
  const isRelative = has(given, 'base')
  const help = isRelative ? null : helpOperands(typed)
  if (help !== null) given.push({ name: 'help', value: '' })
  const operands = help ?? typed
  const named = commandNames.find((name) => name === operands[0])
  if (named === undefined && !isRelative && operands.length > 1) checkFirstWord(operands)
  const line = new CommandLine(named ?? 'get', named !== undefined, operands.slice(named === undefined ? 0 : 1), given)
  checkCommand(line)
  return line
}

function has(given: readonly Given[], name: OptionName): boolean {
  return given.some((option) => option.name === name)
}

/** `name`, `name=value`, or `name` with its value in the next word. */
function longOption(text: string, words: string[]): Given {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? []
  const option = options.find(({ long }) => long === name)
  if (option === undefined) throw unknownOption(`--${name}`)
  if (option.arg === undefined) {
    if (value !== undefined) throw usageError(`--${name} is a switch and takes no value.`)
    return { name: option.long, value: '' }
  }
  return { name: option.long, value: value ?? nextWord(option, `--${name}`, words) }
}

/** `sSv`, `oFILE`, `sSo` with its value in the next word. */
function shortOptions(text: string, words: string[]): Given[] {
  const found: Given[] = []
  for (const [index, letter] of [...text].entries()) {
    const option = options.find(({ short }) => short === letter)
    if (option === undefined) throw unknownOption(`-${letter}`)
    if (option.arg !== undefined) {
      const rest = [...text].slice(index + 1).join('')
      return [...found, { name: option.long, value: rest === '' ? nextWord(option, `-${letter}`, words) : rest }]
    }
    found.push({ name: option.long, value: '' })
  }
  return found
}

/** Whatever it looks like: `-o -` and `-o -x` name files. */
function nextWord(option: OptionSpec, typed: string, words: string[]): string {
  const value = words.shift()
  if (value === undefined) throw usageError(`${typed} needs ${option.arg}, as in: ${option.example}`)
  return value
}

function unknownOption(typed: string): Error {
  const known = options.flatMap(({ long, short }) => (short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`]))
  const meant = typed.startsWith('--') ? nearest(typed, known) : undefined
  const guess = meant === undefined ? 'retrieve --help lists all options.' : `Did you mean ${meant}?`
  return usageError(`There is no option ${typed}. ${hintFor(typed) ?? guess}`)
}

function checkCommand(line: CommandLine): void {
  if (line.has('help') || line.has('version')) return
  for (const { name } of line.given) {
    const option = options.find(({ long }) => long === name)
    if (option === undefined || applies(option, line.command)) continue
    const where = option.commands?.join(', ')
    throw usageError(
      `--${name} is no option of ${line.command}, but of: ${where}. See retrieve ${line.command} --help.`,
    )
  }
}
