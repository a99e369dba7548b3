import { existsSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RetrievalError, schemeOf } from '@retriever/core'
import { nearest } from './nearest.ts'
import { type CommandName, commandNames } from './options.ts'

/**
 * The URL that an argument gives. `<URL:ftp://h/x>` and `<ftp://h/x>` lose what wraps them, and the white space by which they were
 * folded (RFC 3986 appendix C). Throws `malformed-url` where no scheme stands and no base could supply one.
 */
export function urlArgument(argument: string, base: string | undefined): string {
  const url = unwrap(argument)
  if (base !== undefined || (schemeOf(url) !== undefined && !isHostAndPort(url))) return url
  const message = `${argument} is no full URL. ${suggest(url)}`
  throw new RetrievalError('malformed-url', message, { phase: 'resolve', url: argument, span: [0, argument.length] })
}

function unwrap(argument: string): string {
  const [, wrapped] = /^\s*<(?:URL:)?([^<>]*)>\s*$/is.exec(argument) ?? []
  return wrapped === undefined ? argument : wrapped.replace(/\s+/g, '')
}

/** `localhost:8080/x` has the form of a URL of the scheme `localhost`. */
function isHostAndPort(text: string): boolean {
  return /^[\w.-]+:\d{1,5}(?:\/|$)/.test(text)
}

function suggest(text: string): string {
  if (existsSync(text)) return `Did you mean ${pathToFileURL(absolute(text)).href}?`
  const command = /^\w+$/.test(text) ? nearest(text, commandNames as readonly CommandName[]) : undefined
  if (command !== undefined) return `Did you mean the command ${command}?`
  if (text === '' || /[\s<>]/.test(text) || !/^[\w[]/.test(text))
    return 'It must begin with a scheme, as in http://www.example.org/.'
  const [, first = ''] = /^(ftp|gopher|telnet)\./i.exec(text) ?? []
  return `Did you mean ${first === '' ? 'http' : first.toLowerCase()}://${text}${text.includes('/') ? '' : '/'}?`
}
