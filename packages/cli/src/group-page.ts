import { printable } from '@retriever/core'
import type { Entry, Representation } from '@retriever/fetchers'
import type { Output } from './output.ts'
import { copyable, hanging } from './page.ts'

/** A newsgroup as a page for people: number, day, subject and author of each article, and how to go on. Each line as it comes. */
export async function printGroup(group: Representation, output: Output): Promise<void> {
  let shown = 0
  let url: string | null = null
  for await (const entry of group.entries()) {
    shown++
    url ??= entry.url
    await output.write(`${articleLine(entry, output.columns)}\n`)
  }
  if (shown === 0) await output.write('There are no articles.\n')
  if (url !== null) await output.write(`\nTo read one: retrieve ${copyable(url)}\n`)
  const { count } = group.metadata
  if (typeof count === 'number' && shown > 0 && shown < count) {
    await output.write(`These are ${shown} of about ${count} articles; --limit N is for more.\n`)
  }
}

function articleLine({ name, modified, details = {} }: Entry, columns: number): string {
  const number = String(details.number ?? '').padStart(7)
  const day = (modified?.toISOString().slice(0, 10) ?? '').padEnd(10)
  const author = typeof details.from === 'string' ? authorIn(details.from) : ''
  const text = printable(name).trim()
  return hanging(`${number}  ${day}  `, author === '' ? text : `${text} (${author})`, columns)
}

/** `Ann Author` of `Ann Author <ann@example.net>`; an address where there is no name. */
function authorIn(from: string): string {
  const name = from.slice(0, Math.max(0, from.lastIndexOf('<'))).replaceAll('"', '')
  return printable(name.trim() === '' ? from : name).trim()
}
