import { printable } from '@retriever/core'

/** Quotes a URL for a shell: a menu may lead to `https://www.example.org/?a;reboot`. zsh would expand brackets. */
export function copyable(url: string): string {
  const shown = printable(url)
  return /^[\w%./:,+=@~#-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", '%27')}'`
}
