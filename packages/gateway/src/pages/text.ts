import type { Entry, Representation } from '@retriever/fetchers'
import { formatSize } from '@retriever/fetchers/internal'
import type { Message } from '@retriever/fetchers/mime'
import { type Content, type Html, html } from '../html.ts'
import { addressOf } from './address.ts'
import { type Leads, link, withLinks } from './links.ts'

/** A page of Gemini, line by line as it comes. */
export async function* gemtext(page: Representation, leads: Leads): AsyncGenerator<Content> {
  let pre = false
  let list = false
  for await (const entry of page.entries()) {
    const line = entry.details?.line
    if (pre !== (line === 'preformatted')) {
      pre = !pre
      yield pre ? html`<pre class="wide">` : html`</pre>\n`
    }
    if (list !== (line === 'item')) {
      list = !list
      yield list ? html`<ul>\n` : html`</ul>\n`
    }
    yield gemtextLine(entry, leads)
  }
  yield [pre ? html`</pre>\n` : null, list ? html`</ul>\n` : null]
}

function gemtextLine({ name, url, details = {} }: Entry, leads: Leads): Content {
  switch (details.line) {
    case 'link':
      return html`<p>${link(leads, url, name || url)}</p>\n`
    case 'heading':
      return details.level === 1 || details.level === 2 ? html`<h2>${name}</h2>\n` : html`<h3>${name}</h3>\n`
    case 'item':
      return html`<li>${name}</li>\n`
    case 'quote':
      return html`<blockquote>${name}</blockquote>\n`
    case 'preformatted':
      return html`${name}\n`
    default:
      return name.trim() === '' ? null : html`<p>${name}</p>\n`
  }
}

/** A text as it is, with links. */
export function plainText(text: string, leads: Leads): Content {
  return html`<pre>${withLinks(leads, text.replaceAll('\r\n', '\n'))}</pre>\n`
}

/** How many quoted lines in a row are shown unfolded. */
const fewQuoted = 6

/** A message: its head, its text with long quotations folded, and its other parts. */
export function messageContent(message: Message, url: string, leads: Leads): Content {
  const server = /^(?:nntps?|s?news):\/\/[^/]+\//.exec(url)?.[0].replace(/^nntp/, 'news') ?? 'news:'
  const references = message.references.map((id, index) => [' ', link(leads, `${server}${id}`, `${index + 1}`)])
  const fields: [string, Content][] = [
    ['From', message.from],
    ['Date', message.date?.toUTCString()],
    [
      'Groups',
      message.newsgroups.map((group, index) => [index === 0 ? '' : ', ', link(leads, `${server}${group}`, group)]),
    ],
    ['Answers', references],
  ]
  const rows = fields
    .filter(([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)
  const headers = message.headers.map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>\n`)
  return html`<dl>${rows}</dl>
<details><summary>All ${message.headers.length} fields</summary><dl>${headers}</dl></details>
${foldedText(message.text, leads)}
${partList(message, url)}`
}

function foldedText(text: string, leads: Leads): Content {
  const pieces: Content[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; ) {
    const isQuoted = lines[at]?.startsWith('>') === true
    let end = at
    while (end < lines.length && (lines[end]?.startsWith('>') === true) === isQuoted) end++
    const piece = plainText(lines.slice(at, end).join('\n'), leads)
    const isLong = isQuoted && end - at > fewQuoted
    pieces.push(isLong ? html`<details><summary>${end - at} quoted lines</summary>${piece}</details>\n` : piece)
    at = end
  }
  return pieces
}

function partList(message: Message, url: string): Html | null {
  const others = [...message.allParts()].filter(([, part]) => !message.body.includes(part))
  if (others.length === 0) return null
  const rows = others.map(([number, { name, mediaType, size, damage }]) => {
    const note = damage === null ? '' : ` (damaged: ${damage})`
    const href = addressOf(url, `part=${number}`)
    return html`<li><a href="${href}">${name ?? `part ${number}`}</a> <span class="soft">${mediaType}, ${formatSize(size)}${note}</span></li>\n`
  })
  return html`<h2>Attachments</h2>\n<ul>\n${rows}</ul>\n`
}
