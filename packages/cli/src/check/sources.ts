import { existsSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { extractUrls, type Resolution, RetrievalError } from '@retriever/core'
import { isInward, schemeOf } from '@retriever/core/internal'
import type { Representation, RetrieveOptions } from '@retriever/fetchers'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'
import { readText } from '../text-file.ts'
import { isGemtext, isHtml } from '../views/media.ts'
import type { Anchors } from './anchors.ts'
import { htmlLinks } from './html-links.ts'

/** One link to check. */
export interface Link {
  /** The URL as the source has it, made absolute if it was relative. */
  readonly url: string
  /** The URL of the server's page that has the link and whose rules for links apply; null if there is no such page. */
  readonly linkedFrom: string | null
  /** Whether the URL stands on the command line. */
  readonly isTyped: boolean
}

/**
 * The links of an operand: those of a file, those of standard input (`-`), or a URL itself and the links of its page,
 * whose anchors are added to `anchors`.
 */
export async function linksOf(
  operand: string,
  session: Session,
  request: RetrieveOptions,
  anchors: Anchors,
): Promise<readonly Link[]> {
  const { client, run } = session
  if (operand === '-' || existsSync(operand)) return linksOfFile(operand, run, anchors)
  // Without this notice, a mistyped file name would only be reported as a host that does not exist.
  if (schemeOf(operand) === undefined) run.report.notice({ operand, message: 'There is no file of this name.' })
  const { entered: resolution } = session.open(operand)
  const self = { url: resolution.url, linkedFrom: null, isTyped: true }
  // The page was read before, so its links are known.
  if (anchors.hasPage(resolution.url)) return [self]
  const representation = await client.retrieve(resolution, request).catch((error) => {
    // The page is a link itself, so the check reports why it cannot be retrieved.
    if (RetrievalError.is(error) && error.code !== 'aborted') return null
    throw error
  })
  if (representation === null) return [self]
  await using page = representation
  // If a redirect led from this machine to another one, the rules of the more distant one apply.
  const place = [client.resolve(page.url), resolution].find((each) => isServer(each) && !isInward(hostOf(each)))
  const from = place ?? client.resolve(page.url)
  const linkTo = (url: string): Link => ({ url, linkedFrom: isServer(from) ? from.url : null, isTyped: false })
  return [self, ...(await urlsOf(page, resolution.url, anchors)).map(linkTo)]
}

async function linksOfFile(path: string, { output, signal }: Run, anchors: Anchors): Promise<Link[]> {
  const text = await readText(path, output.streams, signal)
  const isHtml = /\.x?html?$/i.test(path) || /^\s*<(?:!doctype\s+html|html)\b/i.test(text)
  const base = path === '-' ? null : pathToFileURL(absolute(path)).href
  const urls = isHtml ? inHtml(text, base, [base], anchors) : inText(text)
  return urls.map((url) => ({ url, linkedFrom: null, isTyped: false }))
}

/** The URLs of a page: links of HTML and gemtext, entries of a listing, or URLs in a text. */
async function urlsOf(page: Representation, asked: string, anchors: Anchors): Promise<readonly string[]> {
  if (isHtml(page)) return inHtml(await page.text(), page.url, [asked, page.url], anchors)
  if (page.hasEntries && (page.kind === 'listing' || isGemtext(page))) {
    const urls: string[] = []
    for await (const { url } of page.entries()) if (url !== null) urls.push(url)
    return urls
  }
  return page.mediaType?.startsWith('text/') ? inText(await page.text()) : []
}

function inText(text: string): string[] {
  return [...extractUrls(text)].flatMap(({ url, error }) => (error === null ? [url] : []))
}

/** The links of an HTML page. `urls` are the URLs that led to the page. */
function inHtml(html: string, page: string | null, urls: readonly (string | null)[], anchors: Anchors): string[] {
  const { links, base, anchors: names } = htmlLinks(html)
  anchors.addPage(
    urls.filter((url) => url !== null),
    names,
  )
  const from = absoluteUrl(base ?? '', page) ?? page
  return links.flatMap((link) => absoluteUrl(link, from) ?? [])
}

function absoluteUrl(reference: string, base: string | null): string | null {
  try {
    const url = new URL(reference, base ?? undefined)
    return /^(?:javascript|data|blob|about):$/.test(url.protocol) ? null : url.href
  } catch {
    // A link that cannot be resolved is checked as written, and then reported as malformed.
    return base === null && !/^[a-z][a-z0-9+.-]*:/i.test(reference) ? null : reference
  }
}

function isServer({ plan }: Resolution): boolean {
  return 'host' in plan && plan.mechanism !== 'file'
}

/** The host that a URL names; "" if it names none. */
export function hostOf({ plan }: Resolution): string {
  return 'host' in plan ? (plan.host ?? '') : ''
}
