import { extractUrls } from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import { isLinked } from '../guard.ts'
import { type Content, html } from '../html.ts'
import type { Settings } from '../options.ts'
import { addressOf } from './address.ts'

/** The address to which a URL leads from a page; null if no page may lead to it. */
export type Leads = (url: string) => string | null

/** Links lead through the gateway. URLs of the web lead there directly, unless the gateway is offline. */
export function leadsOf({ offline }: Pick<Settings, 'offline'>): Leads {
  return (url) => {
    const name = schemeOf(url)
    if (!isLinked(url) || name === 'data') return null
    const isWeb = name === 'http' || name === 'https'
    return name === 'mailto' || (isWeb && !offline) ? url : addressOf(url)
  }
}

/** A link with a text, or the text alone if no page may lead there. */
export function link(leads: Leads, url: string | null, text: Content): Content {
  const href = url === null ? null : leads(url)
  return href === null ? text : html`<a href="${href}">${text}</a>`
}

/** A text whose URLs are links. */
export function withLinks(leads: Leads, text: string): Content {
  const pieces: Content[] = []
  let at = 0
  for (const { url, span } of extractUrls(text)) {
    const [start, end] = span
    if (start < at) continue
    pieces.push(text.slice(at, start), link(leads, url, text.slice(start, end)))
    at = end
  }
  pieces.push(text.slice(at))
  return pieces
}

/** A date as `2026-11-27 12:05`, in UTC. */
export function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16).replace('T', ' ')
}
