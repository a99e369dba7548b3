import { extractUrls } from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import { isLinked } from '../guard.ts'
import { type Content, html } from '../html.ts'
import { addressOf } from './address.ts'

/** A link through the gateway; URLs of the web lead there directly. Null: no page may lead to the URL. */
export function hrefOf(url: string): string | null {
  const name = schemeOf(url)
  if (!isLinked(url) || name === 'data') return null
  return name === 'http' || name === 'https' || name === 'mailto' ? url : addressOf(url)
}

/** A link with a text, or the text alone if no page may lead there. */
export function link(url: string | null, text: Content): Content {
  const href = url === null ? null : hrefOf(url)
  return href === null ? text : html`<a href="${href}">${text}</a>`
}

/** A text whose URLs are links. */
export function withLinks(text: string): Content {
  const pieces: Content[] = []
  let at = 0
  for (const { url, span } of extractUrls(text)) {
    const [start, end] = span
    if (start < at) continue
    pieces.push(text.slice(at, start), link(url, text.slice(start, end)))
    at = end
  }
  pieces.push(text.slice(at))
  return pieces
}

/** A date as `2026-11-27 12:05`, in UTC. */
export function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16).replace('T', ' ')
}
