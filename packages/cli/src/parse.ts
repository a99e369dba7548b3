import { RetrievalError } from '@retriever/core'
import { type CommandName, commandNames } from './commands/index.ts'
import { usageError } from './exit-codes.ts'
import { defaultConfigFile, readDefaultConfig } from './line/config-file.ts'
import { type Group, LineReader, type LineSources } from './line/reader.ts'
import { applies, type OptionName, options } from './options/index.ts'
import type { Given, GivenOptions } from './options/option.ts'
import { readOptionFile } from './options/option-file.ts'
import { serverPorts } from './options/servers.ts'
import { checkFirstWord, helpOperands, hintFor } from './suggest.ts'

interface Source {
  readonly file: string
  readonly option: string
}

/** A command line as typed, split into command, options and operands; with --next, one group of it. */
export class CommandLine implements GivenOptions<OptionName> {
  readonly command: CommandName
  /** Whether the command was typed, or is the default. */
  readonly named: boolean
  readonly operands: readonly string[]
  readonly given: readonly Given<OptionName>[]
  /** The program behind the `--` of serve and audit, and its arguments; null if there is no `--`. */
  readonly program: readonly string[] | null
  /** The groups after this one. */
  readonly following: readonly CommandLine[]
  /** Remarks on the configuration files. */
  readonly warnings: readonly string[]
  /** The files that --config and --variable name, each with its option; they are read with the line. */
  readonly sources: readonly Source[]

  constructor(
    command: CommandName,
    named: boolean,
    operands: readonly string[],
    given: readonly Given<OptionName>[],
    more: Partial<Pick<CommandLine, 'program' | 'following' | 'warnings' | 'sources'>> = {},
  ) {
    this.command = command
    this.named = named
    this.operands = operands
    this.given = given
    this.program = more.program ?? null
    this.following = more.following ?? []
    this.warnings = more.warnings ?? []
    this.sources = more.sources ?? []
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
 * Reads `[COMMAND] OPTIONS OPERANDS` in any order, after the default configuration file unless -q is the first option.
 * --url gives an operand as well. Behind the `--` of serve and audit stands a program. Throws `invalid-option` (exit
 * 2), or `file-failed` if a file cannot be read.
 */
export function parseCommandLine(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
  read: LineSources['read'] = (file, what) => readOptionFile(file, `${what} ${file}`),
): CommandLine {
  const sources: Source[] = []
  const readSource: LineSources['read'] = (file, option) => {
    sources.push({ file, option })
    return read(file, option)
  }
  const reader = new LineReader({ env, read: readSource }, isCommand)
  if (readsDefaults(argv)) {
    const file = defaultConfigFile(env)
    const octets = readDefaultConfig(file)
    if (octets !== null) reader.readFile(file, octets)
    reader.endDefaults()
  }
  reader.readWords(argv)
  reader.check()
  return asLine(reader, sources)
}

function isCommand(word: string): boolean {
  return commandNames.some((name) => name === word)
}

/** Whether the default configuration file is read. Help and the version do not read it. */
function readsDefaults(argv: readonly string[]): boolean {
  const [first = '', second = ''] = argv
  const option = isCommand(first) ? second : first
  if (/^-q|^--disable$/.test(option) || first === 'help') return false
  return !argv.some((word) => ['-h', '--help', '-M', '--manual', '-V', '--version'].includes(word))
}

function asLine({ groups, program, warnings }: LineReader, sources: readonly Source[]): CommandLine {
  const [first = { words: [], given: [] }, ...others] = groups
  const given = [...first.given]
  const typed = first.words.filter(({ isUrl }) => !isUrl)
  const words = typed.map(({ text }) => text)
  const isRelative = has(given, 'base')
  const help = isRelative ? null : helpOperands(words)
  if (help !== null || has(given, 'manual')) given.push({ name: 'help', value: '' })
  const named = commandNames.find((name) => name === (help ?? words)[0])
  if (named === undefined && !isRelative && words.length > 1) checkFirstWord(words)
  const command = named ?? 'get'
  const operands = first.words.filter((word) => named === undefined || word !== typed[0])
  const globals = groups.flatMap((group) => group.given.filter(isGlobal))
  const following = others.map((group) => {
    const own = group.given.filter((option) => !isGlobal(option))
    return new CommandLine(command, true, textsOf(group.words, command), ofCommand([...own, ...globals], command))
  })
  const ofOthers = others.flatMap((group) => group.given.filter(isGlobal))
  const all = ofCommand([...given, ...ofOthers], command)
  const more = { program, following, warnings, sources }
  const line = new CommandLine(command, named !== undefined, textsOf(operands, command), all, more)
  for (const each of [line, ...following]) checkCommand(each)
  checkUrl(line)
  return line
}

/** Whether an option applies to all groups. */
function isGlobal({ name }: Given): boolean {
  return options.find(({ long }) => long === name)?.global === true
}

/** The options, without those of a configuration file that only other commands take. */
function ofCommand(given: readonly Given<OptionName>[], command: CommandName): Given<OptionName>[] {
  return given.filter(({ name, place }) => place === undefined || takes(command, name))
}

function textsOf(words: Group['words'], command: CommandName): string[] {
  return words.filter(({ place }) => place === undefined || takes(command, 'url')).map(({ text }) => text)
}

function takes(command: CommandName, name: OptionName): boolean {
  const option = options.find(({ long }) => long === name)
  return option === undefined || applies(option, command)
}

function has(given: readonly Given[], name: OptionName): boolean {
  return given.some((option) => option.name === name)
}

function checkCommand(line: CommandLine): void {
  if (line.has('help') || line.has('version')) return
  const [operand] = line.operands
  if (operand !== undefined && (line.command === 'schemes' || line.command === 'demo')) {
    throw usageError(`${line.command} takes no ${JSON.stringify(operand)}. See retrieve ${line.command} --help.`)
  }
  for (const { name } of line.given) {
    if (takes(line.command, name)) continue
    if (name === 'port' && line.command === 'serve') throw usageError(serverPorts)
    const where = options.find(({ long }) => long === name)?.commands?.join(', ')
    const advice = hintFor(`--${name}`) ?? `See retrieve ${line.command} --help.`
    throw usageError(`--${name} is not an option of ${line.command}, but of: ${where}. ${advice}`)
  }
}

/** Throws `invalid-option` if an option took the only URL as its value, as in `-c URL`: in wget, -c is a switch. */
function checkUrl(line: CommandLine): void {
  if (line.command !== 'get' || line.operands.length > 0 || line.has('help') || line.has('version') || line.has('from'))
    return
  const taker = line.given.findLast(({ value, place }) => place === undefined && /^[a-z]{2,}:\/\//i.test(value))
  const option = options.find(({ long }) => long === taker?.name)
  if (taker === undefined || option?.arg === undefined) return
  const shown = option.short === undefined ? `--${option.long}` : `-${option.short}`
  throw usageError(`No URL is given: ${taker.value} is the ${option.arg} of ${shown}. Try: retrieve --help`)
}

/** Adds to an error the configuration file and line of its option, if it has one: options are read after the file. */
export function located(line: CommandLine, error: unknown): unknown {
  if (!RetrievalError.is(error) || error.code !== 'invalid-option') return error
  const [, name, letter] = /^(?:--([\w.-]+)|-(\w))\b/.exec(error.message) ?? []
  const named = options.find(({ long, short }) => long === name || (letter !== undefined && short === letter))
  const option = line.given.findLast((each) => each.name === named?.long)
  return option?.place === undefined ? error : usageError(`${option.place}: ${error.message}`)
}
