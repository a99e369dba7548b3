import { isIP } from 'node:net'
import { encodeOctets } from '@retriever/core'
import { bracketed, isLoopback } from '@retriever/core/internal'
import type { Attribute, Target } from './replies.ts'

/** The server that sent something. It completes what the server leaves out. */
export interface Server {
  readonly host: string
  readonly port: number
}

/** A host, and a port if one is named: `host` or `host(port)`. */
interface Place {
  readonly host: string
  readonly port: number | null
}

/** Makes the URL of a Prospero object. Null if it is not on the Internet, or its host has no name. */
export function objectUrl({ hostType, host, hsoname, version }: Target, server: Server): string | null {
  const place = placeOf(hostType, host, server)
  if (place === null) return null
  // If a server calls itself localhost, it means the server that we asked.
  const port = place.port ?? (isItself(host) ? server.port : 1525)
  const suffix = /^[1-9]\d{0,9}$/.test(version) ? `;OBJECT-VERSION=${version}` : ''
  return `prospero://${bracketed(place.host)}${port === 1525 ? '' : `:${port}`}/${encodeName(hsoname)}${suffix}`
}

/** An access method of an object: the tokens of the attribute, and the URL that they mean. */
export interface Access {
  readonly method: string
  readonly url: string | null
}

/** Returns the access methods among attributes, in order. Empty tokens have the values of the object's own place. */
export function accessMethods(attributes: readonly Attribute[], object: Target, server: Server): Access[] {
  return attributes
    .filter(({ name }) => name === 'ACCESS-METHOD')
    .map(({ value: [method = '', hostType, host, , hsoname, ...rest] }) => {
      const named = Boolean(host)
      const place = placeOf(named ? (hostType ?? '') : object.hostType, named ? (host ?? '') : object.host, server)
      // If the host is the object's own, its port is that of Prospero.
      const at = place === null || named ? place : { ...place, port: null }
      return { method, url: at === null ? null : accessUrl(method, at, hsoname || object.hsoname, rest, server) }
    })
}

/** Makes the URL of an access method (Prospero protocol 5, appendix A). Null if none leads there (LOCAL, AFS, WAIS). */
function accessUrl(
  method: string,
  place: Place,
  name: string,
  [first = '']: readonly string[],
  server: Server,
): string | null {
  const host = authorityOf(place)
  switch (method) {
    case 'AFTP': {
      // A native object of the server's own FTP area has the name `AFTP/pub/file`.
      const path = name.replace(/^AFTP\//, '').replace(/^\//, '')
      return `ftp:${host}/${encodeName(path)}${typecode(first)}`
    }
    case 'FTP':
      return `ftp:${host}/${encodeName(name).replace(/^\//, '%2F')}${typecode(first)}`
    case 'GOPHER':
      return gopherUrl(host, name, first, server)
    case 'NFS':
      return `nfs:${host}/${encodeName(`${first.replace(/\/$/, '')}/${name.replace(/^\//, '')}`)}`
    case 'TELNET':
      return `telnet:${host}/`
    case 'TN3270':
      return `tn3270:${host}/`
    default:
      return null
  }
}

function authorityOf({ host, port }: Place): string {
  return `//${bracketed(host)}${port === null ? '' : `:${port}`}`
}

function typecode(type: string): string {
  if (type === 'TEXT' || type === 'ASCII') return ';type=a'
  return type === 'BINARY' ? ';type=i' : ''
}

/** Makes a Gopher URL. The type is the sixth token, or the first character of the selector. */
function gopherUrl(host: string, name: string, type: string, server: Server): string | null {
  const [, gate = '', rest] = /^GOPHER-GW\/([^/()]{1,253}\(\d{1,5}\))\/(.\/.*)$/s.exec(name) ?? []
  if (rest !== undefined) {
    const place = placeOf('INTERNET-D', gate, server)
    return place && `gopher:${authorityOf(place)}/${encodeName(rest.replace('/', ''))}`
  }
  const own = /^GOPHER(?:\(\d{1,5}\)|\/\d{1,5})?\/(.)\/(.*)$/s.exec(name)
  if (own !== null) return `gopher:${host}/${encodeName(`${own[1]}${own[2]}`)}`
  const gophertype = type.length === 1 ? type : name.charAt(0)
  return gophertype === '' ? null : `gopher:${host}/${encodeName(gophertype + name)}`
}

/** Encodes a name. Slashes stay, and so do characters that no scheme here treats as delimiters. */
function encodeName(name: string): string {
  return encodeOctets(name, "/,:@!*'()$&+~")
}

/**
 * Reads `host` or `host(port)`. Returns null if it is no name and no address. Names are compared and shown in lower
 * case.
 */
function placeOf(hostType: string, token: string, server: Server): Place | null {
  const [, written = '', digits] = /^([^()]{1,253})(?:\((\d{1,5})\))?$/.exec(token) ?? []
  const host = written.toLowerCase()
  const port = digits === undefined ? null : Number(digits)
  if (hostType !== 'INTERNET-D' || !isHost(host) || port === 0 || (port ?? 0) > 65_535) return null
  return { host: isItself(token) ? server.host : host, port }
}

/** Whether it is an address, or a name whose last label begins with a letter (RFC 1738 3.1). */
function isHost(host: string): boolean {
  return isIP(host) > 0 || /^(?:[a-z0-9_][a-z0-9_-]{0,62}\.)*[a-z][a-z0-9_-]{0,62}\.?$/.test(host)
}

/** Whether a server means itself: it calls its host localhost, which would be this machine. */
function isItself(token: string): boolean {
  return isLoopback(token.replace(/\(\d+\)$/, '').toLowerCase())
}
