import { printable } from '@retriever/core'
import type { Entry, Representation } from '@retriever/fetchers'
import type { Output } from '../terminal/output.ts'
import { hanging } from '../terminal/wrap.ts'
import type { NumberedUrls } from './last-page.ts'
import { printReferences, titled } from './references.ts'

/**
 * Prints a document of Gemini as a page: wrapped text, numbered links, and at the end their URLs. Each line is shown as
 * soon as it has come. Returns the URLs.
 */
export async function printGemtext(page: Representation, output: Output): Promise<NumberedUrls> {
  const urls: NumberedUrls = new Map()
  for await (const entry of page.entries()) {
    if (entry.url !== null) urls.set(String(urls.size + 1), entry.url)
    await output.write(`${lineOf(entry, urls.size, output)}\n`)
  }
  await printReferences(urls, output)
  return urls
}

function lineOf({ name, url, details }: Entry, number: number, output: Output): string {
  const text = printable(name)
  switch (details?.line) {
    case 'link':
      return titled(`${url === null ? '   ' : String(number).padStart(3)}  `, text, output)
    case 'heading':
      return output.paint('strong', hanging('', text, output.columns))
    case 'item':
      return hanging('  * ', text, output.columns)
    case 'quote':
      return hanging('  > ', text, output.columns)
    case 'preformatted':
      return text
    default:
      return hanging('', text, output.columns)
  }
}
