import { commandNames, commandSpecs } from '../commands/index.ts'
import type { OptionSpec } from '../options/index.ts'
import {
  type Completion,
  firstWords,
  helpCompletion,
  namesOf,
  operandsOf,
  optionGroups,
  optionsByValue,
  quoted,
  valuesOf,
} from './model.ts'

/** The completions for zsh: a file to put into $fpath, or to source after compinit. */
export function zshCompletions(): string {
  const groups = optionGroups.map(
    ({ commands, options }) => `  if [[ $command == (${commands.join('|')}) ]]; then
    arguments+=(
${options.map((option) => `      ${specification(option)}`).join('\n')}
    )
  fi`,
  )
  const withValue = optionsByValue().flatMap(({ names }) => names)
  const operands = commandNames.map((name) => `    ${name}) ${action(operandsOf(name))} ;;`)
  const descriptions = commandNames.map((name) => `    ${quoted(`${name}:${commandSpecs[name].help}`)}`)
  return `#compdef retrieve
# Completions of retrieve for zsh. In ~/.zshrc, after compinit: source <(retrieve completions zsh)
# or as a file _retrieve in a folder of $fpath.

_retrieve_urls() {
  compadd -S '' -- "$@"
}

_retrieve_operands() {
  case $first in
${operands.join('\n')}
    '')
      local -a commands=(
${descriptions.join('\n')}
    'help:The help on a command, a category, a topic or an option'
      )
      _describe -t commands command commands
      _retrieve_urls ${firstWords.urls.map(quoted).join(' ')} ;;
    *) ${action(operandsOf('get'))} ;;
  esac
}

_retrieve() {
  local command=get first= word
  local -a arguments
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
      ${withValue.join('|')}) ((i++)) ;;
      -*) ;;
      *) first=$words[i]; break ;;
    esac
  done
  if [[ $first == help || $words[CURRENT-1] == (--help|-h) ]]; then
    compadd -- ${helpCompletion.words.map(quoted).join(' ')}
    return
  fi
  [[ $first == (${commandNames.join('|')}) ]] && command=$first
${groups.join('\n')}
  _arguments -s : $arguments '*: :_retrieve_operands'
}

if [[ $funcstack[1] == _retrieve ]]; then
  _retrieve "$@"
else
  compdef _retrieve retrieve
fi
`
}

/** An argument of _arguments: `'*'{-o+,--output=}'[Write to FILE]:FILE:_files'`. */
function specification(option: OptionSpec): string {
  const values = valuesOf(option)
  const help = option.help.replace(/[\\[\]]/g, '\\$&')
  const message = (option.arg ?? '').replace(/[\\:]/g, '\\$&')
  const value = values === null ? '' : `:${message}:${actionOf(values)}`
  const [short, long] = namesOf(option).map((name) =>
    values === null ? name : name.startsWith('--') ? `${name}=` : `${name}+`,
  )
  const names = long === undefined ? short : `{${short},${long}}`
  return long === undefined ? quoted(`*${names}[${help}]${value}`) : `'*'${names}${quoted(`[${help}]${value}`)}`
}

/** The action of an argument of _arguments. */
function actionOf(completion: Completion): string {
  const { files, folders, words, urls } = completion
  if (urls.length > 0) return `_retrieve_urls ${urls.join(' ')}`
  if (words.length > 0) return `(${words.join(' ')})`
  return files ? '_files' : folders ? '_files -/' : ' '
}

/** Commands of a shell function that complete a word. */
function action({ files, folders, words, urls }: Completion): string {
  const parts = [
    ...(words.length > 0 ? [`compadd -- ${words.map(quoted).join(' ')}`] : []),
    ...(urls.length > 0 ? [`_retrieve_urls ${urls.map(quoted).join(' ')}`] : []),
    ...(files ? ['_files'] : folders ? ['_files -/'] : []),
  ]
  return parts.length === 0 ? ':' : parts.join('; ')
}
