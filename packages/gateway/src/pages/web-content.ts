import { RetrievalError, resolveReference } from '@retriever/core'
import { htmlText } from '@retriever/fetchers/mime'
import { readHtml } from '@retriever/fetchers/pages'
import { type Content, html } from '../html.ts'
import { type Leads, link } from './links.ts'
import { plainText } from './text.ts'

/** How many links of a page are listed. */
const mostLinks = 1000

/** The text of an HTML page, and its links. Nothing of its markup is taken over. */
export function webContent(source: string, url: string, leads: Leads): Content {
  const { slots, base } = readHtml(source, mostLinks)
  const from = (base === null ? null : absolute(base.value, url)) ?? url
  const named = slots.flatMap(({ links }) => links.filter(({ kind }) => kind === 'page'))
  const urls = new Set(named.map((each) => absolute(each.url, from)?.replace(/#.*$/s, '')))
  const rows = [...urls].filter((to) => to !== undefined).map((to) => html`<li>${link(leads, to, to)}</li>\n`)
  return [plainText(htmlText(source), leads), rows.length === 0 ? null : html`<h2>Links</h2>\n<ul>\n${rows}</ul>\n`]
}

/** Null for a reference that is no URL. */
function absolute(reference: string, base: string): string | null {
  try {
    return resolveReference(reference, base)
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}
