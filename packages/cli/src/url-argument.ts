import { existsSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { completeUrl, extractUrls, RetrievalError } from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import { firstWordMeant } from './suggest.ts'
import type { Reporter } from './terminal/report.ts'

/** How a URL without a scheme is read. */
interface Defaults {
  readonly base: string | undefined
  /** The scheme of --proto-default; null if the scheme is guessed. */
  readonly defaultScheme: string | null
}

/**
 * The URL in an argument, without blanks and quotes around it. `<URL:ftp://h/x>`, `<ftp://h/x>` and `URL:ftp://h/x` are
 * unwrapped, and white space that folded them is removed (RFC 3986 appendix C). Without a base, an abbreviated URL is
 * completed (uri(7)), and the guess is reported. Throws `malformed-url` if the URL has no scheme and none can be
 * guessed.
 */
export function urlArgument(argument: string, { base, defaultScheme }: Defaults, report: Reporter): string {
  const url = unwrap(unquoted(argument), report)
  if (base !== undefined) return url
  const completion = completeUrl(url)
  if (completion === undefined && schemeOf(url) !== undefined) return url
  if (defaultScheme !== null && url !== '') return `${defaultScheme}://${url}`
  // A local file may have that name, so the user must say which is meant.
  if (completion === undefined || existsSync(url)) {
    const shown = argument.trim() === '' ? JSON.stringify(argument) : argument
    const message = `${shown} is not a full URL. ${suggest(url, completion?.url)}`
    throw new RetrievalError('malformed-url', message, { phase: 'resolve', url: argument, span: [0, argument.length] })
  }
  report.notice({ operand: url, message: completion.reason })
  return completion.url
}

/** Removes blanks and quotes that were copied along with the URL. Neither can be part of a scheme. */
function unquoted(argument: string): string {
  const trimmed = argument.trim()
  const [, content = trimmed] = /^["'“‘«`]([^"'”’»`]*)["'”’»`]$/.exec(trimmed) ?? []
  return content.trim()
}

function unwrap(argument: string, report: Reporter): string {
  const [, content] = /^<(?:URL:)?([^<>]*)>$/is.exec(argument) ?? []
  // Removes the label of RFC 1738's appendix, even if its brackets are missing.
  if (content === undefined) return argument.replace(/^URL:\s*/i, '')
  // Typed brackets hold exactly one URL, whatever it contains.
  const [found] = extractUrls(`<URL:${content.trim()}>`)
  if (found?.form !== 'wrapped') return content.replace(/\s+/g, '')
  if (found.alternates.length > 0) {
    const message = `A hyphen before a line break was kept; without it, the URL is ${found.alternates.join(' or ')}.`
    report.notice({ operand: found.url, message })
  }
  return found.url
}

function suggest(text: string, completed: string | undefined): string {
  if (existsSync(text)) {
    const other = completed === undefined ? '' : ` or ${completed}`
    return `Did you mean ${pathToFileURL(absolute(text)).href}${other}?`
  }
  if (text === '-') return 'Standard output is -o -; a list of URLs from standard input is --from -.'
  const command = firstWordMeant(text)
  if (command !== undefined) return `Did you mean the command ${command}?`
  return /^\w+$/.test(text)
    ? `Did you mean http://${text}/ or http://www.${text}.com/?`
    : 'It must begin with a scheme, as in http://www.example.org/.'
}
