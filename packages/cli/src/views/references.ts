import type { Output } from '../terminal/output.ts'
import { copyable } from '../terminal/page.ts'
import { hanging } from '../terminal/wrap.ts'
import type { NumberedUrls } from './last-page.ts'

/** A line of a page: a head, such as a number and a kind, and a text that is wrapped behind it. */
export function titled(head: string, text: string, output: Output): string {
  const shown = hanging(head, text, output.columns)
  const label = head.trimEnd()
  return `${output.paint('faint', label)}${shown.slice(label.length)}`
}

/** If a page has more entries than this, its end does not list their URLs again. */
const maxListed = 100

/**
 * Prints how to open an entry of a list. On a terminal the numbers are enough; in a pipe or file the URLs follow as
 * well. `hint` says how to search.
 */
export async function printEnd(urls: NumberedUrls, output: Output, hint: string = ''): Promise<void> {
  if (!output.stdoutIsTerminal) return printReferences(urls, output, hint)
  if (urls.size > 0) await output.write(howToOpen(`${hint}. For the URLs: retrieve ls --json`, output))
}

/** Prints the URLs of a page by number, each unbroken, and how to open one. */
export async function printReferences(urls: NumberedUrls, output: Output, hint: string = ''): Promise<void> {
  if (urls.size === 0) return
  if (urls.size <= maxListed) {
    await output.write(`\n${output.paint('strong', 'References')}\n\n`)
    for (const [number, url] of urls)
      await output.write(`${titled(`${number.padStart(3)}. `, copyable(url), output)}\n`)
  }
  const all = urls.size > maxListed ? ' retrieve ls --json shows all URLs.' : ''
  await output.write(howToOpen(`${hint}${all}`, output))
}

function howToOpen(hint: string, output: Output): string {
  return `\n${hanging('', `To open one: retrieve open N${hint}`, output.columns)}\n`
}
