import { shellCommand } from '@retriever/core'
import { type CommandName, commandNames } from './commands/index.ts'
import { usageError } from './exit-codes.ts'

/** The word meant by a misspelt one: the nearest, if it is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .filter((rated) => rated.distance <= far)
    .sort((a, b) => a.distance - b.distance)
  // `--out` is no misspelling, but it begins one word only.
  return best?.candidate ?? known.find((candidate) => word.length > 3 && candidate.startsWith(word))
}

/**
 * Insertions, deletions, replacements, and exchanges of neighbours, from one word to the other (optimal string
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

/** What people type who come from curl or wget and there is no option for, and what to do in its place. */
const hints: readonly (readonly [typed: RegExp, hint: string])[] = [
  [/^-L$|^--location$/, 'Redirects are followed without it: leave it out.'],
  [/^-f$|^--fail(-with-body)?$/, 'A status of 400 and above is an error without it: leave it out.'],
  [/^--http2$/, 'HTTP/2 is offered within TLS without it: leave it out.'],
  [/^-R$|^--remote-time$/, 'A file gets the date of the resource without it: leave it out.'],
  [/^--(basic|digest|anyauth)$/, 'The strongest login that the server offers is taken: leave it out.'],
  [/^--path-as-is$/, 'The path goes out as it was typed: leave it out.'],
  [
    /^-[XdT]$|^--(request|upload-file|post-)|^--data\b/,
    'What is there is retrieved, by GET or HEAD (-I); nothing can be sent.',
  ],
  [/^-F$|^--form-/, 'Nothing can be posted by HTTP; --form NAME=VALUE answers the forms of Gopher servers.'],
  [/^-b$|^--cookie$/, "Give cookies by -H 'Cookie: NAME=VALUE'."],
  [/^--cookie-jar$|^--(save|load)-cookies$/, "No cookies are kept; give them by -H 'Cookie: NAME=VALUE'."],
  [/^-D$|^--dump-header$/, 'Header fields are shown by -i before the body, by -I alone, by -v on standard error.'],
  [/^-c$|^--continue$/, 'Going on where a file ends is -C -.'],
  [/^--tries$/, 'Tries after the first one are --retry N.'],
  [/^--no-check-certificate$/, 'Not verifying certificates is -k.'],
  [/^--content-disposition$/, 'The name that the server gives is -OJ.'],
  [/^-P$|^--directory-prefix$/, 'Where files go is --output-dir DIR.'],
]

/** What to do in place of an option that is known elsewhere; undefined for one that is not. */
export function hintFor(typed: string): string | undefined {
  return hints.find(([pattern]) => pattern.test(typed))?.[1]
}
