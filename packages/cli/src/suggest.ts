import { completeUrl } from '@retriever/core'
import { shellCommand } from '@retriever/core/internal'
import { type CommandName, commandNames } from './commands/index.ts'
import { usageError } from './exit-codes.ts'

/** The known word that a misspelt one probably means: the nearest one, if it is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // The hyphens of an option do not count as letters, so that --wait is not near --part.
  const far = Math.max(1, Math.floor(word.replace(/^-+/, '').length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .filter((rated) => rated.distance <= far)
    .sort((a, b) => a.distance - b.distance)
  // `--out` is too far from `--output`, but begins it.
  return best?.candidate ?? known.find((candidate) => word.length > 3 && candidate.startsWith(word))
}

/**
 * How many insertions, deletions, replacements and exchanges of neighbours turn one word into the other (optimal string
 * alignment).
 */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      const isExchange = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const exchanged = isExchange ? (before[j - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, exchanged, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}

/** Names that other programs have for these commands. */
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
  proxy: 'gateway',
  protocols: 'schemes',
}

/**
 * Throws `invalid-option` if the first of several words is nearly a command, or is a bare word that cannot be a URL.
 * Otherwise the other words would be taken for URLs and contacted.
 */
export function checkFirstWord(operands: readonly string[]): void {
  const [first = '', next = '', ...others] = operands
  const meant = firstWordMeant(first)
  if (meant === undefined) {
    if (!/^[a-z][a-z-]*$/i.test(first) || completeUrl(first) !== undefined) return
    const host = `If ${first} is a host, write http://${first}/.`
    throw usageError(`There is no command ${first}. retrieve --help lists all. ${host}`)
  }
  const command = shellCommand(['retrieve', meant, next])
  throw usageError(`There is no command ${first}. Did you mean: ${command}${others.length > 0 ? ' ...' : ''}`)
}

/**
 * The operands of `help` and `help COMMAND`, which mean --help; null for other lines. Throws for an unknown command.
 */
export function helpOperands([first, command, ...others]: readonly string[]): readonly string[] | null {
  if (first !== 'help') return null
  if (command === undefined) return []
  const meant = commandNames.find((name) => name === command) ?? commandMeant(command)
  if (others.length === 0 && meant === command) return [command]
  const hint =
    meant === undefined || others.length > 0 ? 'retrieve --help lists all.' : `Did you mean: retrieve help ${meant}?`
  throw usageError(`There is no command ${[command, ...others].join(' ')}. ${hint}`)
}

/** The command, or `help`, that a first word nearly matches; undefined if it is near none. */
export function firstWordMeant(word: string): CommandName | 'help' | undefined {
  const isHelp = /^[a-z]{3,5}$/i.test(word) && nearest(word.toLowerCase(), ['help']) === 'help'
  return commandMeant(word) ?? (isHelp ? 'help' : undefined)
}

/** The command that a word is a misspelling or a synonym of, if any. */
function commandMeant(word: string): CommandName | undefined {
  // Hosts and paths also have other characters.
  if (!/^[a-z]{2,20}$/i.test(word)) return undefined
  const lower = word.toLowerCase()
  if (Object.hasOwn(synonyms, lower)) return synonyms[lower]
  const name = nearest(lower, commandNames)
  return commandNames.find((each) => each === name)
}

/** Options of wget, with what to do instead. curl/ has those of curl. */
const hints: readonly (readonly [typed: RegExp, hint: string])[] = [
  [/^--post-/, 'Only GET and HEAD (-I) are possible; nothing can be sent.'],
  [/^--save-cookies$/, 'Use -c FILE.'],
  [/^--load-cookies$/, 'Use -b FILE.'],
  [/^--continue$/, 'Use -C - to continue a file.'],
  [/^--tries$/, 'Use --retry N for the tries after the first one.'],
  [/^--no-check-certificate$/, 'Use -k.'],
  [/^--content-disposition$/, 'Use -OJ for the name that the server gives.'],
  [/^--directory-prefix$/, 'Use --output-dir DIR.'],
  [/^--output-document$/, 'Use -o FILE.'],
  [/^--input-file$/, 'Use --from FILE.'],
  [/^--quiet$/, 'Use -s.'],
  [/^--(?:recursive|mirror|level|no-parent)$/, 'Use the command mirror: retrieve mirror URL DIR.'],
  [/^--spider$/, 'Use -I, or the command check: retrieve check URL.'],
  [/^--server-response$/, 'Use -i for the header fields, -v for all that is sent and received.'],
  [/^--timeout$/, 'Use --connect-timeout for the connection, -m for the whole retrieval.'],
]

/** The advice for an option of wget; undefined for any other. */
export function hintFor(typed: string): string | undefined {
  return hints.find(([pattern]) => pattern.test(typed))?.[1]
}
