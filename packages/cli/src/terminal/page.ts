import { printable } from '@retriever/core'
import wrapAnsi from 'wrap-ansi'

/** A text after its head, wrapped, with the further lines indented to the head's width. */
export function hanging(head: string, text: string, columns: number): string {
  const [first = '', ...rest] = wrap(text.trim(), columns - head.length)
  return [`${head}${first}`.trimEnd(), ...rest.map((line) => `${' '.repeat(head.length)}${line}`)].join('\n')
}

/** Wraps by columns, of which many East Asian letters take two. Words longer than a line are cut. */
export function wrap(text: string, columns: number): string[] {
  return wrapAnsi(text, Math.max(columns, 10), { hard: true }).split('\n')
}

/** Quotes a URL for a shell: a menu may lead to `https://www.example.org/?a;reboot`. zsh would expand brackets. */
export function copyable(url: string): string {
  const shown = printable(url)
  return /^[\w%./:,+=@~#-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", '%27')}'`
}
