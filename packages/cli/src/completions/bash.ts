import { commandNames } from '../commands/index.ts'
import {
  type Completion,
  firstWords,
  helpCompletion,
  namesOf,
  operandsOf,
  optionGroups,
  optionsByValue,
  quoted,
} from './model.ts'

/** The completions for bash 3.2 and later, without the package bash-completion. */
export function bashCompletions(): string {
  const values = optionsByValue().map(({ names, values }) => `    ${names.join('|')}) ${assignment(values)} ;;`)
  const operands = commandNames.map((name) => `    ${name}) ${assignment(operandsOf(name))} ;;`)
  const options = optionGroups.map(
    ({ commands, options }) =>
      `  case $command in ${commands.join('|')}) words="$words ${options.flatMap(namesOf).join(' ')}" ;; esac`,
  )
  return `# Completions of retrieve for bash. In ~/.bashrc: source <(retrieve completions bash)

# Sets what completes the value of an option; fails for a switch.
_retrieve_value() {
  files= folders= words= urls=
  case $1 in
${values.join('\n')}
    -[!-]?*) _retrieve_value "-\${1: -1}" ;;
    *) return 1 ;;
  esac
}

_retrieve_operand() {
  files= folders= words= urls=
  case $1 in
${operands.join('\n')}
    help) ${assignment(helpCompletion)} ;;
    *) ${assignment(firstWords)} ;;
  esac
}

_retrieve_options() {
  files= folders= words= urls=
${options.join('\n')}
}

_retrieve() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local command=get first= files folders words urls i IFS=$' \\t\\n'
  # Bash makes words of "=" and ":" by themselves.
  if [[ $current == "=" ]]; then current=
  elif [[ $before == "=" && COMP_CWORD -gt 1 ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  [[ $current == ":" || $before == ":" ]] && return
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      -*)
        if [[ \${COMP_WORDS[i + 1]} == "=" ]]; then ((i += 2))
        elif _retrieve_value "\${COMP_WORDS[i]}"; then ((i++))
        fi ;;
      *) first=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $first in ${[...commandNames, 'help'].join('|')}) command=$first ;; esac
  if _retrieve_value "$before"; then :
  elif [[ $before == --help || $before == -h ]]; then _retrieve_operand help
  elif [[ $current == -* && $command != help ]]; then _retrieve_options
  else _retrieve_operand "\${first:+$command}"
  fi
  [[ -n $urls ]] && compopt -o nospace 2>/dev/null
  [[ -n $files$folders ]] && compopt -o filenames 2>/dev/null
  local kinds=
  [[ -n $folders ]] && kinds=-d
  [[ -n $files ]] && kinds=-f
  # A word that is complete ends with a space, also where that of a URL must not.
  local word
  for word in $words; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word\${urls:+ }")
  done
  for word in $urls; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
  if [[ -n $kinds ]]; then
    IFS=$'\\n'
    COMPREPLY+=($(compgen $kinds -- "$current"))
  fi
}
complete -F _retrieve retrieve
`
}

function assignment({ files, folders, words, urls }: Completion): string {
  const parts = [
    ...(files ? ['files=1'] : []),
    ...(folders ? ['folders=1'] : []),
    ...(words.length > 0 ? [`words=${quoted(words.join(' '))}`] : []),
    ...(urls.length > 0 ? [`urls=${quoted(urls.join(' '))}`] : []),
  ]
  return parts.length === 0 ? ':' : parts.join(' ')
}
