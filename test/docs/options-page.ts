import { commandNames, commandSpecs } from '../../packages/cli/src/commands/index.ts'
import { categories, categoryHelp, type OptionSpec, options } from '../../packages/cli/src/options/index.ts'
import { page, table } from './tables.ts'

/** docs/options.md: the commands and options, as the help and the man page have them. */
export function optionsPage(): string {
  const commands = commandNames.map((name) => [
    code(`${name} ${commandSpecs[name].operands}`.trimEnd()),
    cell(commandSpecs[name].help),
    code(commandSpecs[name].example),
  ])
  return page(
    'Commands and options',
    '`retrieve --help` fits one screen, `retrieve help all` lists what follows, `retrieve help WORD` explains one command,\ncategory, topic or option, and `man retrieve` has it all. `retrieve completions SHELL` prints the completions for bash,\nzsh and fish. [curl.md](curl.md) compares each option of curl.',
    table(['Command', 'Meaning', 'Example'], commands),
    `In the tables of options, *retrieving* stands for the commands ${usual.join(', ')}.`,
    ...categories.flatMap((category) => [
      `## ${category}`,
      `${categoryHelp[category]}.`,
      table(
        ['Option', 'Meaning', 'Commands'],
        options
          .filter((option) => option.category === category)
          .map((option) => [names(option), cell(option.help), commandsOf(option)]),
      ),
    ]),
  )
}

/** The commands that most options are for. */
const usual = ['get', 'ls', 'open', 'check', 'mirror']

function commandsOf({ commands }: OptionSpec): string {
  if (commands === undefined) return 'all'
  const others = commands.filter((name) => !usual.includes(name))
  const isUsual = others.length === commands.length - usual.length
  return isUsual ? ['*retrieving*', ...others].join(', ') : commands.join(', ')
}

const names = ({ short, long, arg }: OptionSpec): string =>
  code(`${short === undefined ? '' : `-${short}, `}--${long}${arg === undefined ? '' : ` ${arg}`}`)

const cell = (text: string): string => text.replace(/[|*<_]/g, '\\$&')

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
