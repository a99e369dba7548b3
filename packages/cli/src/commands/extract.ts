import { domainToASCII } from 'node:url'
import { type ExtractedUrl, extractUrls, formatLocator, parseUrl, printable, RetrievalError } from '@retriever/core'
import { absoluteUrl, schemeOf } from '@retriever/core/internal'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'
import { readText } from '../text-file.ts'

/** The number of characters that are printed at once. */
const batch = 64 * 1024

/** A URL to print, or to report on standard error if it is malformed. */
interface Found {
  readonly url: string
  readonly error: string | null
  /** The place of a URL, for its error message. */
  readonly where: string
  readonly json: Readonly<Record<string, unknown>>
}

/**
 * `retrieve extract [--html] [FILE|-]`: prints the URLs of a text, or the links of HTML, in order. Malformed URLs are
 * reported on standard error.
 */
export async function extract({ config, output, report, signal }: Run): Promise<number> {
  const [file = '-', ...others] = config.operands
  if (others.length > 0) throw usageError('extract reads one file. To read several: cat FILE... | retrieve extract')
  const { base } = config.request
  const text = await readText(file, output.streams, signal)
  let lines = ''
  for (const { url, error, where, json } of config.isHtml ? await inHtml(text, base) : inText(text)) {
    if (config.json) lines += jsonLine(json)
    else if (error === null) lines += `${printable(url)}\n`
    else report.notice({ operand: where, message: error })
    if (lines.length < batch) continue
    await output.write(lines)
    lines = ''
  }
  if (lines !== '') await output.write(lines)
  return 0
}

/**
 * Finds the URLs of a text. Spans count UTF-16 code units, like JavaScript strings and the spans of `explain --json`.
 */
function* inText(text: string): Generator<Found> {
  for (const found of extractUrls(text)) {
    const { span, form, error }: ExtractedUrl = found
    const url = error === null ? escaped(found.url) : found.url
    const alternates = found.alternates.map(escaped)
    yield { url, error, where: `Characters ${span.join(' to ')}`, json: { url, alternates, span, form, error } }
  }
}

/**
 * The URL escaped, and its host as Punycode, since uri(7) wants a URI to be always shown escaped. A reading of a text
 * that is no URL stays as it is.
 */
function escaped(url: string): string {
  try {
    const locator = parseUrl(url)
    const isNamed = locator.host !== null && /[^\0-\x7f]/.test(locator.host)
    return formatLocator(isNamed ? { ...locator, host: domainToASCII(locator.host) || locator.host } : locator)
  } catch {
    return url
  }
}

/** The links of a page, made absolute by its `<base href>`, which may itself be relative to the page's own URL. */
async function inHtml(html: string, page: string | undefined): Promise<Found[]> {
  const { htmlLinks } = await import('../check/html-links.ts')
  const { links, base } = htmlLinks(html)
  const from = base === null ? page : (absolute(base, page).url ?? page)
  return links
    .filter((link) => !/^(?:javascript|about|blob):/i.test(link))
    .map((reference) => {
      const { url, error } = absolute(reference, from)
      return { url, error, where: `The link ${printable(reference)}`, json: { url, reference, error } }
    })
}

function absolute(reference: string, base: string | undefined): { url: string; error: string | null } {
  if (base === undefined && schemeOf(reference) === undefined) {
    return { url: reference, error: 'It is relative; give the URL of the page by --base.' }
  }
  let url = reference
  try {
    if (base !== undefined) url = absoluteUrl(reference, base)
    parseUrl(url)
    return { url: escaped(url), error: null }
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return { url, error: error.message }
  }
}
