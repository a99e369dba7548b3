import { existsSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { extractUrls, isInward, type Resolution, RetrievalError } from '@retriever/core'
import type { Client, Representation, RetrieveOptions } from '@retriever/fetchers'
import type { Run } from '../run.ts'
import { readText } from '../text-file.ts'
import { urlArgument } from '../url-argument.ts'
import { htmlLinks } from './html-links.ts'

/** One link to check. */
export interface Link {
  /** As it stands in the source, or absolute if it was relative. */
  readonly url: string
  /** True: a page of another machine names it, so it must not lead to this network. */
  readonly isForeign: boolean
  /** True: a page names it, and it is at another origin: it gets no header fields that may hold a secret. */
  readonly isElsewhere: boolean
}

/** The links of an operand: those of a file, of standard input (`-`), or a URL and the links of its page. */
export async function linksOf(
  operand: string,
  client: Client,
  run: Run,
  request: RetrieveOptions,
): Promise<readonly Link[]> {
  if (operand === '-' || existsSync(operand)) return linksOfFile(operand, run)
  const { config, report } = run
  const typed = urlArgument(operand, { base: config.request.base, defaultScheme: config.defaultScheme }, report)
  const resolution = client.resolve(typed, config.request.base)
  const self = { url: resolution.url, isForeign: false, isElsewhere: false }
  const representation = await client.retrieve(resolution, request).catch((error) => {
    // The page is a link itself, so the check tells why it does not come.
    if (RetrievalError.is(error) && error.code !== 'aborted') return null
    throw error
  })
  if (representation === null) return [self]
  await using page = representation
  // A redirect may have led to another machine.
  const places = [resolution, client.resolve(page.url)]
  const isForeign = places.some((place) => isNetwork(place) && !isInward(hostOf(place)))
  const origin = originOf(resolution.url)
  const linkTo = (url: string): Link => ({ url, isForeign, isElsewhere: origin === null || originOf(url) !== origin })
  return [self, ...(await urlsOf(page)).map(linkTo)]
}

async function linksOfFile(path: string, { signal }: Run): Promise<Link[]> {
  const text = await readText(path, signal)
  const isHtml = /\.x?html?$/i.test(path) || /^\s*<(?:!doctype\s+html|html)\b/i.test(text)
  const base = path === '-' ? null : pathToFileURL(absolute(path)).href
  const urls = isHtml ? inHtml(text, base) : inText(text)
  return urls.map((url) => ({ url, isForeign: false, isElsewhere: false }))
}

/** The URLs of a page: the links of HTML, the entries of a listing, or the URLs of a text. */
async function urlsOf(page: Representation): Promise<readonly string[]> {
  if (page.mediaType === 'text/html' || page.mediaType === 'application/xhtml+xml') {
    return inHtml(await page.text(), page.url)
  }
  if (page.kind === 'listing' && page.hasEntries) {
    const urls: string[] = []
    for await (const { url } of page.entries()) if (url !== null) urls.push(url)
    return urls
  }
  return page.mediaType?.startsWith('text/') ? inText(await page.text()) : []
}

function inText(text: string): string[] {
  return [...extractUrls(text)].flatMap(({ url, error }) => (error === null ? [url] : []))
}

function inHtml(html: string, page: string | null): string[] {
  const { links, base } = htmlLinks(html)
  const from = absoluteUrl(base ?? '', page) ?? page
  return links.flatMap((link) => absoluteUrl(link, from) ?? [])
}

function absoluteUrl(reference: string, base: string | null): string | null {
  try {
    const url = new URL(reference, base ?? undefined)
    return /^(?:javascript|data|blob|about):$/.test(url.protocol) ? null : url.href
  } catch {
    // A link that cannot be resolved is checked as it stands, and reported as malformed.
    return base === null && !/^[a-z][a-z0-9+.-]*:/i.test(reference) ? null : reference
  }
}

/** The scheme, host and port of a URL of the web; null for other URLs. */
function originOf(url: string): string | null {
  try {
    const { origin } = new URL(url)
    return origin === 'null' ? null : origin
  } catch {
    return null
  }
}

function isNetwork({ plan }: Resolution): boolean {
  return 'host' in plan && plan.mechanism !== 'file'
}

/** The host that a URL names; "" if it names none. */
export function hostOf({ plan }: Resolution): string {
  return 'host' in plan ? (plan.host ?? '') : ''
}
