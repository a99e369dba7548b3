/**
 * A command line for pasting into a shell. Words with characters that mean something to a shell are in single quotes
 * (POSIX.1-2017 2.2.2), so that no text of a URL or server becomes a command. Control characters stay: printable()
 * shows them.
 */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

/**
 * One word of a command line. A `~` or `=` is plain within a word only; behind `=` or `:`, bash reads `~` as a home
 * directory.
 */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-](?:[\w@%+:,./=-]|(?<![=:])~)*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
