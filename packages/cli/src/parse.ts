import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type CommandName, commandNames } from './commands/index.ts'
import { acceptedOptions, isAccepted, whyNot } from './curl/index.ts'
import { usageError } from './exit-codes.ts'
import { applies, type OptionName, options } from './options/index.ts'
import type { Given, GivenOptions } from './options/option.ts'
import { serverPorts } from './options/servers.ts'
import { checkFirstWord, helpOperands, hintFor, nearest } from './suggest.ts'

/** A command line as it was typed, split into command, options and operands. */
export class CommandLine implements GivenOptions<OptionName> {
  readonly command: CommandName
  /** Whether the command was typed, not the default. */
  readonly named: boolean
  readonly operands: readonly string[]
  readonly given: readonly Given<OptionName>[]
  /** The program and its arguments that stand behind the `--` of serve; null: there is no `--`. */
  readonly program: readonly string[] | null

  constructor(
    command: CommandName,
    named: boolean,
    operands: readonly string[],
    given: readonly Given<OptionName>[],
    program: readonly string[] | null,
  ) {
    this.command = command
    this.named = named
    this.operands = operands
    this.given = given
    this.program = program
  }

  has(name: OptionName): boolean {
    return has(this.given, name)
  }

  values(name: OptionName): string[] {
    return this.given.filter((option) => option.name === name).map((option) => option.value)
  }

  value(name: OptionName): string | undefined {
    return this.values(name).at(-1)
  }
}

/**
 * Reads `[COMMAND] OPTIONS OPERANDS` in any order, in the forms that curl takes: `-o FILE`, `-oFILE`, `--output FILE`,
 * `--output=FILE`, `-sSv`; `--` ends the options, and --url gives an operand too. Behind the `--` of serve stands a
 * program. Throws `invalid-option` (exit 2).
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  // Not strict: a value may look like an option (`-o -`), and the messages are our own.
  const args = argv.map((text, index) => withJobs(text, argv[index + 1]))
  const { tokens, positionals } = parseArgs({ args, options: argConfig, strict: false, tokens: true })
  const given = tokens.filter((token) => token.kind === 'option').flatMap((token) => readOption(token, positionals[0]))
  const isRelative = has(given, 'base')
  const help = isRelative ? null : helpOperands(positionals)
  if (help !== null) given.push({ name: 'help', value: '' })
  const words = help ?? positionals
  const named = commandNames.find((name) => name === words[0])
  if (named === undefined && !isRelative && words.length > 1) checkFirstWord(words)
  const typed = tokens.filter(
    ({ kind, ...token }) => kind === 'positional' || ('name' in token && token.name === 'url'),
  )
  const command = named === undefined ? undefined : typed.find(({ kind }) => kind === 'positional')
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? argv.length
  const hasProgram = named === 'serve' && end < argv.length && (command?.index ?? end) < end
  const operands = typed
    .filter((token) => token !== command && !(hasProgram && token.index > end))
    .map((token) => ('value' in token && token.value) || '')
  const program = hasProgram ? argv.slice(end + 1) : null
  const line = new CommandLine(named ?? 'get', named !== undefined, operands, given, program)
  checkCommand(line)
  return line
}

/** `-j 4` and `-j4` mean --jobs 4; without a number, -j is curl's own. */
function withJobs(text: string, next: string | undefined): string {
  if (text === '-j' && /^\d+$/.test(next ?? '')) return '--jobs'
  return text.replace(/^-j(?=\d+$)/, '--jobs=')
}

const argConfig: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
  [...options.map((row) => ({ ...row, takesValue: row.arg !== undefined })), ...acceptedOptions].map(
    ({ long, short, takesValue }) => [
      long,
      { type: takesValue ? 'string' : 'boolean', ...(short !== undefined && { short }) },
    ],
  ),
)

function has(given: readonly Given[], name: OptionName): boolean {
  return given.some((option) => option.name === name)
}

/** One option, or none if it has no effect. `rawName` is the option as it was typed: `-o` or `--output`. */
function readOption(
  { name, rawName, value }: { name: string; rawName: string; value: string | undefined },
  firstWord: string | undefined,
): Given<OptionName>[] {
  const option = options.find(({ long }) => long === name)
  if (option === undefined && isAccepted(name, rawName, value)) return []
  if (option === undefined) throw unknownOption(rawName, firstWord)
  if (option.arg === undefined && value !== undefined) throw usageError(`${rawName} is a switch and takes no value.`)
  if (option.arg !== undefined && value === undefined) {
    throw usageError(`${rawName} needs ${option.arg}, as in: ${option.example}`)
  }
  return [{ name: option.long, value: value ?? '' }]
}

function unknownOption(typed: string, firstWord: string | undefined): Error {
  const command = commandNames.find((name) => name === firstWord) ?? 'get'
  const why = command === 'serve' && typed === '--port' ? serverPorts : whyNot(typed)
  if (why !== undefined) return usageError(why)
  const known = options
    .filter((option) => applies(option, command))
    .flatMap(({ long, short }) => (short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`]))
  const meant = typed.startsWith('--') ? nearest(typed, known) : undefined
  const guess = meant === undefined ? 'retrieve help all lists all options.' : `Did you mean ${meant}?`
  return usageError(`There is no option ${typed}. ${hintFor(typed) ?? guess}`)
}

function checkCommand(line: CommandLine): void {
  if (line.has('help') || line.has('version')) return
  for (const { name } of line.given) {
    const option = options.find(({ long }) => long === name)
    if (option === undefined || applies(option, line.command)) continue
    const where = option.commands?.join(', ')
    throw usageError(
      `--${name} is not an option of ${line.command}, but of: ${where}. See retrieve ${line.command} --help.`,
    )
  }
}
