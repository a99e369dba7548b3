import type { Entry, Representation } from '@retriever/fetchers'
import { formatSize, threaded } from '@retriever/fetchers/internal'
import { type Content, html } from '../html.ts'
import { addressOf } from './address.ts'
import { dateText, type Leads, link } from './links.ts'
import { treeMechanisms } from './zip.ts'

/** How many entries a page shows. Longer lists are cut, and link to their octets. */
export const mostEntries = 20_000

/** The content of a listing's page, as the listing comes. `order`: `sort=-size` and the like. */
export function listContent(listing: Representation, order: string | null, leads: Leads): AsyncIterable<Content> {
  if (listing.mechanism === 'gopher') return menu(listing, leads)
  if (listing.mechanism === 'ldap') return records(listing, leads)
  if (listing.mechanism === 'nntp' || listing.mechanism === 'imap' || listing.mechanism === 'pop3')
    return news(listing, leads)
  return table(listing, order, leads)
}

async function* limited(listing: Representation): AsyncGenerator<Entry> {
  let count = 0
  for await (const entry of listing.entries()) {
    if (++count > mostEntries) return
    yield entry
  }
}

/** Said at the end of a list that may have been cut. */
function ending(count: number, url: string): Content {
  if (count === 0) return html`<p>Nothing is in it.</p>\n`
  if (count < mostEntries) return null
  return html`<p class="warning">The list is longer than ${mostEntries} lines;
<a href="${addressOf(url, 'raw=1')}">the whole as the server sent it</a>.</p>\n`
}

const columns = [
  ['name', 'Name', ''],
  ['size', 'Size', 'size'],
  ['modified', 'Date', 'date'],
] as const

/** Folders and files with sizes and dates. */
async function* table(listing: Representation, order: string | null, leads: Leads): AsyncGenerator<Content> {
  const { url } = listing
  const [, minus = '', key = ''] = /^sort=(-?)(\w+)$/.exec(order ?? '') ?? []
  const heads = columns.map(([name, title, kind]) => {
    const isSorted = key === name
    const next = `sort=${isSorted && minus === '' ? '-' : ''}${name}`
    const aria = isSorted ? html` aria-sort="${minus === '' ? 'ascending' : 'descending'}"` : null
    const shown = isSorted ? `${title} ${minus === '' ? '▲' : '▼'}` : title
    return html`<th scope="col" class="${kind}"${aria}><a href="${addressOf(url, next)}">${shown}</a></th>`
  })
  const parent = parentOf(url)
  const links = [
    parent === null ? null : html`<a href="${addressOf(parent)}">Up to the folder above</a> `,
    treeMechanisms.has(listing.mechanism)
      ? html`<a href="${addressOf(url, 'zip=1')}">All of it as a ZIP file</a>`
      : null,
  ]
  yield html`<p class="links">${links}</p>\n`
  yield html`<table>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n`
  let count = 0
  if (key === '') {
    for await (const entry of limited(listing)) {
      count++
      yield row(entry, leads)
    }
  } else {
    const entries: Entry[] = []
    for await (const entry of limited(listing)) entries.push(entry)
    count = entries.length
    const sign = minus === '' ? 1 : -1
    entries.sort((one, other) => sign * compare(one, other, key as 'name' | 'size' | 'modified'))
    yield entries.map((entry) => row(entry, leads))
  }
  yield [html`</tbody>\n</table>\n`, ending(count, url)]
}

function compare(one: Entry, other: Entry, key: 'name' | 'size' | 'modified'): number {
  if (key === 'name') return one.name < other.name ? -1 : Number(one.name > other.name)
  return Number(one[key] ?? -1) - Number(other[key] ?? -1)
}

function row({ name, kind, url, size, modified, details = {} }: Entry, leads: Leads): Content {
  const shown = name === '' ? (url ?? '') : kind === 'directory' && !name.endsWith('/') ? `${name}/` : name
  const note = typeof details.description === 'string' ? html` <span class="soft">${details.description}</span>` : null
  return html`<tr><td>${link(leads, url, shown)}${note}</td><td class="size">${size === undefined ? null : formatSize(size)}</td><td class="date">${modified === undefined ? null : dateText(modified)}</td></tr>\n`
}

/** The folder above a path's; null if there is none. */
function parentOf(url: string): string | null {
  const [, parent, folder] = /^([a-z][a-z0-9+.-]*:\/\/[^/]*\/(?:[^?]*\/)?)([^/?]+)\/?$/i.exec(url) ?? []
  return parent === undefined || folder === undefined || /[;?]/.test(folder) ? null : parent
}

/** A word for each kind of item. */
const words: Readonly<Record<Entry['kind'], string>> = {
  ...{ file: 'file', directory: 'menu', link: 'link', search: 'search', article: 'message' },
  ...{ group: 'group', service: 'service', info: '', other: 'other' },
}
/** The same by Gopher's type (RFC 1436 3.8), where it says more. */
const wordOfType: Readonly<Record<string, string>> = {
  ...{ '0': 'text', '3': 'error', '4': 'binary', '5': 'binary', '9': 'binary', g: 'image', I: 'image', p: 'image' },
  ...{ h: 'html', s: 'sound', ';': 'movie', d: 'document', P: 'PDF' },
}

/** A Gopher menu in its own lines, with a form at each search. */
async function* menu(listing: Representation, leads: Leads): AsyncGenerator<Content> {
  yield html`<ul class="menu">\n`
  let count = 0
  for await (const entry of limited(listing)) {
    count++
    yield menuLine(entry, count, leads)
  }
  yield [html`</ul>\n`, ending(count, listing.url)]
}

function menuLine({ name, kind, url, details = {} }: Entry, number: number, leads: Leads): Content {
  if (kind === 'info' || url === null) return html`<li>${name || ' '}</li>\n`
  const word = details.gopherPlus === '?' ? 'form' : (wordOfType[String(details.gophertype)] ?? words[kind])
  const shown = html`<span class="kind">${word}</span> `
  if (kind !== 'search' || leads(url) === null) return html`<li>${shown}${link(leads, url, name || url)}</li>\n`
  return html`<li>${shown}${searchForm(url, name, number)}</li>\n`
}

/** The form of an index to search: the words go into its URL. */
export function searchForm(url: string, name: string, number = 0): Content {
  return html`<form action="/search" method="get"><input type="hidden" name="url" value="${url}"><label for="s${number}" class="mono">${name}</label><input id="s${number}" name="words" size="24"> <button>Search</button></form>`
}

/** Articles by thread, or newsgroups. */
async function* news(listing: Representation, leads: Leads): AsyncGenerator<Content> {
  const entries: Entry[] = []
  for await (const entry of limited(listing)) entries.push(entry)
  if (entries.every(({ kind }) => kind === 'group' || kind === 'directory')) {
    const rows = entries.map(({ name, url, details = {} }) => {
      const about =
        typeof details.description === 'string' ? html` <span class="soft">${details.description}</span>` : null
      return html`<li>${link(leads, url, name)}${about}</li>\n`
    })
    yield [html`<ul class="threads">\n`, rows, html`</ul>\n`, ending(entries.length, listing.url)]
    return
  }
  const lines = threaded(entries).map(({ entry: { name, url, modified, size, details = {} }, depth }) => {
    const facts = [
      typeof details.from === 'string'
        ? details.from
            .replace(/<[^<>]*>$/, '')
            .replaceAll('"', '')
            .trim()
        : null,
      modified === undefined ? null : dateText(modified),
      size === undefined ? null : formatSize(size),
    ].filter((fact) => fact !== null && fact !== '')
    return html`<li class="d${Math.min(depth, 4)}">${link(leads, url, name.trim() || 'no subject')} <span class="soft">${facts.join(', ')}</span></li>\n`
  })
  yield [html`<ul class="threads">\n`, lines, html`</ul>\n`, ending(entries.length, listing.url)]
}

/** The entries of a directory, each with its attributes. */
async function* records(listing: Representation, leads: Leads): AsyncGenerator<Content> {
  let count = 0
  for await (const { name, url, details = {} } of limited(listing)) {
    count++
    const attributes = Object.entries((details.attributes ?? {}) as Readonly<Record<string, unknown>>)
    const rows = attributes.map(([attribute, values]) => {
      const texts = (Array.isArray(values) ? values : [values]).map((value) => html`<dd>${String(value)}</dd>`)
      return html`<dt>${attribute}</dt>${texts}\n`
    })
    yield html`<h2>${link(leads, url, name || 'the root')}</h2>\n<dl>${rows}</dl>\n`
  }
  yield ending(count, listing.url)
}
