import { printable } from '@retriever/core'
import type { Entry, Representation } from '@retriever/fetchers'
import { threaded } from '@retriever/fetchers/internal'
import type { Output } from '../terminal/output.ts'
import { copyable } from '../terminal/page.ts'
import { hanging } from '../terminal/wrap.ts'
import type { NumberedUrls } from './last-page.ts'
import { titled } from './references.ts'

/**
 * Prints a newsgroup as a page for people: number, day, subject and author of each article, and how to read one.
 * Answers stand below the articles that they answer; the thread with the newest article comes first. Returns the URLs
 * by the numbers of the articles.
 */
export async function printGroup(group: Representation, output: Output): Promise<NumberedUrls> {
  const articles: Entry[] = []
  for await (const entry of group.entries()) articles.push(entry)
  for (const { entry, depth } of threaded(articles)) await output.write(`${articleLine(entry, depth, output)}\n`)
  const urls: NumberedUrls = new Map()
  for (const { url, details } of articles) if (url !== null) urls.set(String(details?.number ?? urls.size + 1), url)
  const [url] = urls.values()
  const shown = articles.length
  if (shown === 0) await output.write('There are no articles.\n')
  if (url !== undefined) {
    await output.write(
      `\n${hanging('', `To read one: retrieve open N, or retrieve ${copyable(url)}`, output.columns)}\n`,
    )
  }
  const count = group.mechanism === 'nntp' ? group.metadata.count : undefined
  if (typeof count === 'number' && shown > 0 && shown < count) {
    const more = `These are ${shown} of about ${count} articles; --limit N is for more.`
    await output.write(`${hanging('', more, output.columns)}\n`)
  }
  return urls
}

/** The deepest indentation; deeper levels of a thread get no more. */
const maxIndent = 8

function articleLine({ name, modified, details = {} }: Entry, depth: number, output: Output): string {
  const number = String(details.number ?? '').padStart(7)
  const day = (modified?.toISOString().slice(0, 10) ?? '').padEnd(10)
  const author = typeof details.from === 'string' ? authorIn(details.from) : ''
  const text = printable(name).trim()
  const indent = '  '.repeat(Math.min(depth, maxIndent))
  return titled(`${number}  ${day}  ${indent}`, author === '' ? text : `${text} (${author})`, output)
}

/** `Ann Author` in `Ann Author <ann@example.net>`; the address if there is no name. */
function authorIn(from: string): string {
  const name = from.slice(0, Math.max(0, from.lastIndexOf('<'))).replaceAll('"', '')
  return printable(name.trim() === '' ? from : name).trim()
}
