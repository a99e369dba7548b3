import { type AccessPlans, octetsToText } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { describedPages, entriesOfLines } from '../../programs/descriptions.ts'
import { textResult } from '../../programs/text-result.ts'
import { whatis } from './about.ts'

/**
 * Makes a fetcher for searches in the one-line descriptions of manual pages (uri(7)). The program `apropos` searches,
 * and we keep lines that have the string as whole words.
 */
export function whatisFetcher(): Fetcher<'whatis'> {
  return { ...whatis, retrieve: search }
}

async function search({ query }: AccessPlans['whatis'], context: RetrievalContext): Promise<Retrieved<'whatis'>> {
  const text = octetsToText(query)
  const literal = text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
  // uri(7): "Only complete word matches are returned."
  const lines = (await describedPages(literal, context))?.filter((line) => hasWords(line, text)) ?? []
  if (lines.length === 0) {
    const advice = 'If no word is found, the program mandb must make the list of pages first.'
    throw context.error('not-found', `No description of a manual page has the word "${text}". ${advice}`)
  }
  return textResult(`${lines.join('\n')}\n`, context, { kind: 'listing', metadata: {}, entries: entriesOfLines })
}

/** Whether a line has the words as a whole, in any case. */
function hasWords(line: string, words: string): boolean {
  const [text, wanted] = [line.toLowerCase(), words.toLowerCase()]
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const around = [text[at - 1] ?? '', text[at + wanted.length] ?? '']
    if (!around.some((character) => /[\p{L}\p{N}_]/u.test(character))) return true
  }
  return false
}
