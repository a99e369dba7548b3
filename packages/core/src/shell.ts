/**
 * A command line to paste into a shell. A word with characters that are special to a shell gets single quotes
 * (POSIX.1-2017 2.2.2), so that no text of a URL or server becomes a command. Control characters stay; printable()
 * makes them visible.
 */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

/**
 * One word of a command line. `~` and `=` need quotes at the beginning of a word, and `~` also behind `=` or `:`, since
 * bash reads it there as a home directory.
 */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-](?:[\w@%+:,./=-]|(?<![=:])~)*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
