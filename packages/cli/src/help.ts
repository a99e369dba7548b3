import { type CommandName, commandNames, commandSpecs } from './commands/index.ts'
import { applies, categories, type OptionSpec, options } from './options/index.ts'

/** The text of --help: of one command, or, for null, of all. */
export function formatHelp(command: CommandName | null, columns: number): string {
  const width = Math.min(Math.max(columns, 60), 120)
  const parts = command === null ? general(width) : ofCommand(command, width)
  return `${parts.join('\n\n')}\n`
}

function general(width: number): string[] {
  const usage = commandNames.map((name) =>
    row(`${name} ${commandSpecs[name].operands}`, commandSpecs[name].help, width),
  )
  return [
    'Usage: retrieve [COMMAND] [OPTION...] URL...',
    'Retrieves what URLs name: the body to standard output, everything else to standard error.',
    `Commands:\n${[...usage, row('help [COMMAND]', 'This help, or that of one command', width)].join('\n')}`,
    ...optionSections(options, width),
    `Examples:\n${commandNames.map((name) => `  ${commandSpecs[name].example}`).join('\n')}`,
  ]
}

function ofCommand(command: CommandName, width: number): string[] {
  const { operands, help, example } = commandSpecs[command]
  const own = options.filter((option) => applies(option, command))
  const usage = `Usage: retrieve ${command} [OPTION...] ${operands}`.trimEnd()
  return [`${usage}\n\n${help}.`, ...optionSections(own, width), `Example:\n  ${example}`]
}

function optionSections(listed: readonly OptionSpec[], width: number): string[] {
  return categories.flatMap((category) => {
    const rows = listed
      .filter((option) => option.category === category)
      .map((option) => row(synopsis(option), option.help, width))
    return rows.length === 0 ? [] : [`${category}:\n${rows.join('\n')}`]
  })
}

/** `-o, --output FILE`, the long names in one column. */
function synopsis({ short, long, arg }: OptionSpec): string {
  return `${short === undefined ? '    ' : `-${short}, `}--${long}${arg === undefined ? '' : ` ${arg}`}`
}

const indent = 30

function row(left: string, text: string, width: number): string {
  const lines = wrap(text, width - indent)
  const head = `  ${left}`
  const first = head.length < indent - 1 ? `${head.padEnd(indent)}${lines.shift() ?? ''}` : head
  return [first, ...lines.map((line) => ' '.repeat(indent) + line)].join('\n')
}

/** Wraps the help, which is ASCII; wrap-ansi, which pages use, would take 28 ms to load. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
