import { shellCommand } from '@retriever/core'
import { type CommandName, commandNames } from './commands/index.ts'
import { usageError } from './exit-codes.ts'
import { nearest } from './suggest.ts'

/** The names that other programs have for our commands. */
const synonyms: Readonly<Record<string, CommandName>> = {
  fetch: 'get',
  download: 'get',
  retrieve: 'get',
  curl: 'get',
  wget: 'get',
  cat: 'get',
  list: 'ls',
  dir: 'ls',
  describe: 'explain',
  parse: 'explain',
  server: 'serve',
  protocols: 'schemes',
}

/**
 * Throws `invalid-option` where the first word is no URL, but nearly a command: what follows it would be contacted
 * otherwise, for something else than was meant.
 */
export function checkFirstWord(operands: readonly string[]): void {
  const [first = '', next = '', ...others] = operands
  const meant = firstWordMeant(first)
  if (meant === undefined) return
  const command = shellCommand(['retrieve', meant, next])
  throw usageError(`There is no command ${first}. Did you mean: ${command}${others.length > 0 ? ' ...' : ''}`)
}

/** `help`, `help COMMAND`: the same as --help. Throws `invalid-option` for what is no command. */
export function helpOperands([first, command, ...others]: readonly string[]): readonly string[] | null {
  if (first !== 'help') return null
  if (command === undefined) return []
  const meant = commandNames.find((name) => name === command) ?? commandMeant(command)
  if (others.length === 0 && meant === command) return [command]
  const hint =
    meant === undefined || others.length > 0 ? 'retrieve --help lists all.' : `Did you mean: retrieve help ${meant}?`
  throw usageError(`There is no command ${[command, ...others].join(' ')}. ${hint}`)
}

/** The command that a first word nearly is, or `help`; undefined for what may be anything. */
export function firstWordMeant(word: string): CommandName | 'help' | undefined {
  const isHelp = /^[a-z]{3,5}$/i.test(word) && nearest(word.toLowerCase(), ['help']) === 'help'
  return commandMeant(word) ?? (isHelp ? 'help' : undefined)
}

/** The command of which a word is a misspelling, or another name; undefined for what may be anything. */
function commandMeant(word: string): CommandName | undefined {
  // A host or a path has other characters, too.
  if (!/^[a-z]{2,20}$/i.test(word)) return undefined
  const lower = word.toLowerCase()
  if (Object.hasOwn(synonyms, lower)) return synonyms[lower]
  const name = nearest(lower, commandNames)
  return commandNames.find((each) => each === name)
}
