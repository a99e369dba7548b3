import { commandNames, commandSpecs } from '../../packages/cli/src/commands/index.ts'
import { categories, categoryHelp, type OptionSpec, options } from '../../packages/cli/src/options/index.ts'
import { page, table } from './tables.ts'

/** docs/options.md: the commands and options, as the help and the man page have them. */
export function optionsPage(): string {
  const commands = commandNames.map((name) => [
    code(`${name} ${commandSpecs[name].operands}`.trimEnd()),
    cell(commandSpecs[name].help),
  ])
  return page(
    'Commands and options',
    '`retrieve help WORD` explains one command, category, topic, option or exit status, and `man retrieve` has it all.\n[curl.md](curl.md) compares each option of curl.',
    table(['Command', 'Meaning'], commands),
    `An option is for ${usual.join(', ')}, and for explain if it changes what is sent, unless it names its commands.`,
    'Many of them are also for the workers of a queue: `retrieve queue --help` lists those.',
    ...categories.flatMap((category) => {
      const own = options.filter((option) => option.category === category)
      const [common, ...others] = new Set(own.map(commandsOf))
      const isCommon = others.length === 0
      return [
        `## ${category}`,
        `${categoryHelp[category]}.${isCommon && common ? ` All are for ${common}.` : ''}`,
        table(
          ['Option', 'Meaning'],
          own.map((option) => {
            const named = isCommon ? '' : commandsOf(option)
            return [names(option), `${cell(option.help)}${named && ` (*${named}*)`}`]
          }),
        ),
      ]
    }),
  )
}

/** The commands that most options are for. */
const usual = ['get', 'ls', 'open', 'check', 'mirror']

/** Empty for an option that follows the rule at the head of the page. */
function commandsOf({ commands }: OptionSpec): string {
  if (commands === undefined) return 'all commands'
  const others = commands.filter((name) => !usual.includes(name) && !['explain', 'queue'].includes(name))
  const isUsual = others.length === 0 && usual.every((name) => commands.some((each) => each === name))
  return isUsual ? '' : commands.join(', ')
}

const names = ({ short, long, arg }: OptionSpec): string =>
  code(`${short === undefined ? '' : `-${short}, `}--${long}${arg === undefined ? '' : ` ${arg}`}`)

const cell = (text: string): string => text.replace(/[|*<_]/g, '\\$&')

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
