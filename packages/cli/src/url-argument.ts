import { existsSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { completeUrl, extractUrls, RetrievalError, schemeOf } from '@retriever/core'
import { firstWordMeant } from './suggest.ts'
import type { Reporter } from './terminal/report.ts'

/**
 * The URL that an argument gives, without blanks and quotes around it; what was guessed is reported. `<URL:ftp://h/x>`
 * and `<ftp://h/x>` lose what wraps them, and the white space by which they were folded (RFC 3986 appendix C); an
 * abbreviated URL is completed (uri(7)), unless there is a base, to which it is relative. Throws `malformed-url` where
 * no scheme stands and none can be guessed.
 */
export function urlArgument(argument: string, base: string | undefined, report: Reporter): string {
  const url = unwrap(unquoted(argument), report)
  if (base !== undefined) return url
  const completion = completeUrl(url)
  if (completion === undefined && schemeOf(url) !== undefined) return url
  // A local file of that name may be meant as well: whoever typed it must say.
  if (completion === undefined || existsSync(url)) {
    const message = `${argument} is no full URL. ${suggest(url, completion?.url)}`
    throw new RetrievalError('malformed-url', message, { phase: 'resolve', url: argument, span: [0, argument.length] })
  }
  report.notice({ operand: url, message: completion.reason })
  return completion.url
}

/**
 * Blanks around it, and quotes as of a sentence or of another shell, came with the copying: neither can stand in a
 * URL's scheme.
 */
function unquoted(argument: string): string {
  const trimmed = argument.trim()
  const [, content = trimmed] = /^["'“‘«`]([^"'”’»`]*)["'”’»`]$/.exec(trimmed) ?? []
  return content.trim()
}

function unwrap(argument: string, report: Reporter): string {
  const [, content] = /^<(?:URL:)?([^<>]*)>$/is.exec(argument) ?? []
  if (content === undefined) return argument
  // As in running text, but with any content: who types the brackets means all that is in them.
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
  const command = firstWordMeant(text)
  if (command !== undefined) return `Did you mean the command ${command}?`
  return /^\w+$/.test(text)
    ? `Did you mean http://${text}/?`
    : 'It must begin with a scheme, as in http://www.example.org/.'
}
