import type { Output } from '../terminal/output.ts'
import { copyable } from '../terminal/page.ts'
import { hanging } from '../terminal/wrap.ts'
import type { NumberedUrls } from './last-page.ts'

/** A line of a page: a head, such as a number and a kind, and a text, wrapped behind it. */
export function titled(head: string, text: string, output: Output): string {
  const shown = hanging(head, text, output.columns)
  const label = head.trimEnd()
  return `${output.paint('faint', label)}${shown.slice(label.length)}`
}

/** With more entries than this, a page does not list their URLs once more. */
const maxListed = 100

/**
 * The end of a list of entries: how to open one. On a terminal the numbers are enough; in a pipe or file the URLs
 * follow too. `hint` is about its searches.
 */
export async function printEnd(urls: NumberedUrls, output: Output, hint: string = ''): Promise<void> {
  if (!output.stdoutIsTerminal) return printReferences(urls, output, hint)
  if (urls.size > 0) await output.write(howToOpen(`${hint}. For the URLs: retrieve ls --json`, output))
}

/** The end of a page: its URLs by number, each whole, and how to open one. */
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
