import { Readable } from 'node:stream'
import { redact } from '@retriever/core'
import type { Answer, FieldLine } from '../answer.ts'
import { type Content, html, nosniff } from '../html.ts'

/** A page of the gateway. */
export interface Page {
  readonly title: string
  /** The URL that it shows; null for a page of the gateway's own. */
  readonly url: string | null
  /** Its content, or what gives it piece by piece. */
  readonly content: Content | AsyncIterable<Content>
  readonly status?: number
  readonly lines?: readonly FieldLine[]
}

/** The fields of all that comes from the origin of the pages. */
export const ownLines: readonly FieldLine[] = [
  nosniff,
  // With no-referrer, browsers send forms with `Origin: null` (Fetch Standard 3.2).
  ['Referrer-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Robots-Tag', 'noindex, nofollow'],
  ['Cache-Control', 'no-store'],
]

/** The fields of every page: it has no script, loads only its style, and sends its forms here alone. */
export const pageLines: readonly FieldLine[] = [
  ['Content-Type', 'text/html; charset=utf-8'],
  [
    'Content-Security-Policy',
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ...ownLines,
]

/** Sends a browser on to an address. */
export function redirect(address: string): Answer {
  return { status: 303, lines: [...ownLines, ['Location', address]], body: null }
}

/** The answer with a page. */
export function pageAnswer({ title, url, content, status = 200, lines = [] }: Page, signal: AbortSignal): Answer {
  const before = start(title, url === null ? '' : redact(url))
  const isStream = typeof content === 'object' && content !== null && Symbol.asyncIterator in content
  const body = isStream
    ? Readable.from(streamed(before, content), { objectMode: false, signal })
    : `${before}${html`${content}`.text}${end}`
  return { status, lines: [...pageLines, ...lines], body }
}

async function* streamed(before: string, content: AsyncIterable<Content>): AsyncGenerator<string> {
  yield before
  for await (const piece of content) yield html`${piece}`.text
  yield end
}

function start(title: string, url: string): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/style.css"></head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<form action="/go" method="post" role="search"><a href="/">Retriever</a>
<input name="url" value="${url}" aria-label="URL" autocomplete="off" autocapitalize="off" spellcheck="false">
<button>Go</button></form>
</header>
<main id="main" tabindex="-1">
<h1>${title}</h1>
`.text
}

const end = '</main>\n</body>\n</html>\n'
