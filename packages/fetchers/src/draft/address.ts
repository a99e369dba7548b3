import { domainToASCII } from 'node:url'
import { octetsToText, printable, type RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../contract/fetcher.ts'
import { longestWord, phraseWords, quoted } from './words.ts'

/** The letters of an atom (RFC 5322 3.2.3), including those beyond ASCII (RFC 6532 3.2). */
const dotAtom = /^[\w!#$%&'*+/=?^`{|}~\u00A0-\uFFFF-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u00A0-\uFFFF-]+)*$/
const quotedString = /^"(?:[^"\\\0-\x1F\x7F-\x9F]|\\[^\0-\x1F\x7F-\x9F])*"$/
const domainName = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/
const domainLiteral = /^\[[\x21-\x5A\x5E-\x7E]*\]$/

/**
 * Writes an address of a mailto URL as a header field has it. A local part with a comma or the like gets quotes, so
 * that it stays one address. It may hold UTF-8 (RFC 6532), since it may not have encoded words (RFC 2047 5). The domain
 * becomes A-labels (RFC 6068 2). Throws `malformed-url`.
 */
export function addressOf(octets: string, context: RetrievalContext): string {
  const text = octetsToText(octets)
  // RFC 6068 2 prohibits octets that are not UTF-8.
  const isUtf8 = text !== octets || /^[\0-\x7F]*$/.test(octets)
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  const domain = /^[\0-\x7F]*$/.test(text.slice(at + 1)) ? text.slice(at + 1) : domainToASCII(text.slice(at + 1))
  const isPlain = dotAtom.test(local) || quotedString.test(local)
  if (!isUtf8 || local === '' || octets.length > longestWord || /[\0-\x1F\x7F-\x9F]/.test(local))
    throw noAddress(text, context)
  if (!(domainName.test(domain) || domainLiteral.test(domain))) throw noAddress(text, context)
  return `${isPlain ? local : quoted(local)}@${domain}`
}

/**
 * Returns the addresses of a field such as Cc with their names (`Joe <joe@example.com>`, RFC 5322 3.4), each as its
 * words.
 */
export function addressField(octets: string, context: RetrievalContext): string[][] {
  return entriesOf(octets).flatMap((entry) => {
    const trimmed = entry.trim()
    if (trimmed === '') return []
    const [, name, address] = /^([^<>]*)<([^<>]*)>$/.exec(trimmed) ?? []
    if (name === undefined || address === undefined) return [[addressOf(trimmed, context)]]
    const shown = octetsToText(name.trim())
    const bare = quotedString.test(shown) ? shown.slice(1, -1).replace(/\\(.)/g, '$1') : shown
    return [[...(bare === '' ? [] : phraseWords(bare)), `<${addressOf(address, context)}>`]]
  })
}

/** Splits a list at commas, except those within quotes. */
function entriesOf(text: string): string[] {
  const entries: string[] = []
  let begun = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === '\\') at++
    else if (text[at] === '"') isQuoted = !isQuoted
    else if (text[at] === ',' && !isQuoted) {
      entries.push(text.slice(begun, at))
      begun = at + 1
    }
  }
  return [...entries, text.slice(begun)]
}

function noAddress(text: string, context: RetrievalContext): RetrievalError {
  const message = `${JSON.stringify(printable(text))} is no address for a mail; one has the form user@host.`
  return context.error('malformed-url', message, { phase: 'resolve' })
}
