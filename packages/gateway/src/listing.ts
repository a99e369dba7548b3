import { Readable } from 'node:stream'
import { redact } from '@retriever/core'
import type { Entry, Representation } from '@retriever/fetchers'
import { isLinked } from './guard.ts'
import { escaped, ownPage, pageEnd, pageStart } from './html.ts'

/** The field of the form by which a person searches a Gopher index: no selector has it by chance. */
export const searchField = 'retriever-search'

/** A listing as a page of links, which comes as the listing does. */
export function listingPage(representation: Representation, signal: AbortSignal): Readable {
  return Readable.from(pieces(representation), { objectMode: false, signal })
}

async function* pieces(representation: Representation): AsyncGenerator<string> {
  yield `${pageStart(redact(representation.url))}<pre>\n`
  for await (const entry of representation.entries()) yield `${line(entry)}\n`
  yield `</pre>\n${pageEnd}`
}

function line({ name, kind, url, size, modified }: Entry): string {
  const facts = [modified?.toISOString().slice(0, 10), size].filter((fact) => fact !== undefined)
  const shown = escaped(kind === 'directory' && !name.endsWith('/') ? `${name}/` : name)
  const link = url !== null && isLinked(url) ? `<a href="${escaped(url)}">${shown || escaped(url)}</a>` : shown
  return facts.length === 0 ? link : `${link}  ${facts.join('  ')}`
}

/** A page that asks for the words of a search, for a Gopher index. */
export function searchPage(url: string): string {
  const form = `<form method="get" action="${escaped(url)}"><input name="${searchField}" title="Words"> <input type="submit" value="Search"></form>\n`
  return ownPage(redact(url), form)
}

/** The URL of a search by such a form; the URL itself if it is none. */
export function withSearch(url: string): string {
  const [, index, words] = new RegExp(`^(gophers?://[^/]+/7[^?]*)\\?${searchField}=([^&]*)$`, 'i').exec(url) ?? []
  return index === undefined || words === undefined ? url : `${index}%09${words.replaceAll('+', '%20')}`
}
