import { printable } from '@retriever/core'

/**
 * Quotes a URL for a shell, since a menu may link to `https://www.example.org/?a;reboot`, and zsh would expand
 * brackets.
 */
export function copyable(url: string): string {
  const shown = printable(url)
  return /^[\w%./:,+=@~#-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", '%27')}'`
}
