import { printable } from '@retriever/core'
import wrapAnsi from 'wrap-ansi'

/** A harmless text behind its head, in as many lines as it takes, indented alike. */
export function hanging(head: string, text: string, columns: number): string {
  const [first = '', ...rest] = wrap(text.trim(), columns - head.length)
  return [`${head}${first}`.trimEnd(), ...rest.map((line) => `${' '.repeat(head.length)}${line}`)].join('\n')
}

/** By columns, of which many letters of East Asia take two. What is too long for a line is cut, on terminals of next to no width too. */
export function wrap(text: string, columns: number): string[] {
  return wrapAnsi(text, Math.max(columns, 10), { hard: true }).split('\n')
}

/** For a shell, too: a menu may lead to `https://www.example.org/?a;reboot`. Brackets are a pattern, of which zsh finds no file. */
export function copyable(url: string): string {
  const shown = printable(url)
  return /^[\w%./:,+=@~#-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", '%27')}'`
}
