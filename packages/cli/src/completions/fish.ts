import { commandNames, commandSpecs } from '../commands/index.ts'
import type { OptionSpec } from '../options/index.ts'
import {
  type Completion,
  firstWords,
  helpCompletion,
  operandsOf,
  optionGroups,
  optionsByValue,
  valuesOf,
} from './model.ts'

/** The completions for fish. */
export function fishCompletions(): string {
  const withValue = optionsByValue().flatMap(({ names }) => names)
  const commands = commandNames.map(
    (name) => `complete -c retrieve -n '__retrieve_command_is ""' -a ${name} -d ${quoted(commandSpecs[name].help)}`,
  )
  const operands = commandNames.flatMap((name) => operandLines(`__retrieve_command_is ${name}`, operandsOf(name)))
  const options = optionGroups.flatMap(({ commands, options }) => {
    const names = commands.includes('get') ? ['""', 'url', ...commands] : commands
    const condition = commands.length === commandNames.length ? '' : ` -n '__retrieve_command_is ${names.join(' ')}'`
    return options.map((option) => `complete -c retrieve${condition} ${specification(option)}`)
  })
  return `# Completions of retrieve for fish. In ~/.config/fish/config.fish: retrieve completions fish | source
# or as the file ~/.config/fish/completions/retrieve.fish

# Succeeds if the command of the line is among the arguments: "" before the first word, url if that is none.
function __retrieve_command_is
    set -l value
    set -l first
    for word in (commandline -opc)[2..-1]
        if test -n "$value"
            set value
            continue
        end
        switch $word
            case ${withValue.join(' ')}
                set value 1
            case '-*'
            case '*'
                set first $word
                break
        end
    end
    contains -- "$first" ${[...commandNames, 'help'].join(' ')} ''; or set first url
    contains -- "$first" $argv
end

function __retrieve_wants_help
    __retrieve_command_is help; or string match -qr -- '^(--help|-h)$' (commandline -opc)[-1]
end

complete -c retrieve -f
${commands.join('\n')}
complete -c retrieve -n '__retrieve_command_is ""' -a help -d 'The help on a command, a category, a topic or an option'
${[...operandLines('__retrieve_command_is "" url', { ...firstWords, words: [] }), ...operands].join('\n')}
complete -c retrieve -n __retrieve_wants_help -a ${quoted(helpCompletion.words.join(' '))}
${options.join('\n')}
`
}

function operandLines(condition: string, completion: Completion): string[] {
  const parameters = parametersOf(completion)
  return parameters === '' ? [] : [`complete -c retrieve -n '${condition}' ${parameters}`]
}

function specification(option: OptionSpec): string {
  const values = valuesOf(option)
  const short = option.short === undefined ? '' : `-s ${quoted(option.short)} `
  const value = values === null ? '' : ` ${values.files ? '-r' : '-x'} ${parametersOf(values)}`.trimEnd()
  return `${short}-l ${option.long}${value} -d ${quoted(option.help)}`
}

function parametersOf({ files, folders, words, urls }: Completion): string {
  const list = [...words, ...urls, ...(folders ? ['(__fish_complete_directories)'] : [])]
  return [...(files ? ['-F'] : []), ...(list.length > 0 ? [`-a ${quoted(list.join(' '))}`] : [])].join(' ')
}

/** Quotes a word for fish, which reads `\\` and `\'` within single quotes. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
