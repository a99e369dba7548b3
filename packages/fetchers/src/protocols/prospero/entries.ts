import { octetsToText } from '@retriever/core'
import type { Entry } from '../../contract/fetcher.ts'
import type { ProsperoAttribute } from '../../contract/metadata.ts'
import type { Attribute, Link } from './replies.ts'
import { type Access, accessMethods, objectUrl, type Server } from './urls.ts'

/** Makes the entry of a link. */
export function entryOf(link: Link, server: Server): Entry {
  const { type, target, name, host, hsoname, version, attributes } = link
  const methods = accessMethods(attributes, link, server)
  const size = sizeOf(attributes)
  const modified = modifiedOf(attributes)
  return {
    name: octetsToText(name),
    kind: kindOf(target, methods),
    url: urlOf(link, methods, server),
    ...(size !== null && { size }),
    ...(modified !== null && { modified }),
    details: {
      linkType: octetsToText(type),
      // The name is not `target`, which in other listings means that of a symbolic link.
      objectType: octetsToText(target),
      host: octetsToText(host),
      hsoname: octetsToText(hsoname),
      version: octetsToText(version),
      ...(attributes.length > 0 && { attributes: shownAttributes(attributes) }),
      ...(methods.length > 0 && { accessMethods: shownMethods(methods) }),
    },
  }
}

/** Makes the URL of a link. EXTERNAL objects have no Prospero URL, only that of their access method (RFC 4157 2). */
function urlOf(link: Link, methods: readonly Access[], server: Server): string | null {
  if (link.target === 'EXTERNAL') return bestAccess(methods)?.url ?? null
  // A symbolic link is a path in a person's virtual system, which only that person's client knows.
  return link.target === 'SYMBOLIC' ? null : objectUrl(link, server)
}

function kindOf(target: string, methods: readonly Access[]): Entry['kind'] {
  const types = target.split('+')
  if (types.includes('DIRECTORY')) return 'directory'
  if (types.includes('FILE')) return 'file'
  if (target === 'SYMBOLIC') return 'link'
  if (target !== 'EXTERNAL') return 'other'
  const best = bestAccess(methods)?.method
  return best === 'TELNET' || best === 'TN3270' ? 'service' : 'file'
}

/** The access methods, preferred ones first: those that need no login, then services for a person. */
const preferred = ['AFTP', 'GOPHER', 'FTP', 'NFS', 'TELNET', 'TN3270']

/** Returns the access method to follow. Undefined if no URL leads to the data. */
export function bestAccess(methods: readonly Access[]): Access | undefined {
  return methods
    .filter(({ url }) => url !== null)
    .toSorted((one, other) => preferred.indexOf(one.method) - preferred.indexOf(other.method))[0]
}

/** Makes an entry for each access method of an object. */
export function accessEntries(methods: readonly Access[]): Entry[] {
  return methods.map(({ method, url }) => ({
    name: octetsToText(method),
    kind: url === null ? 'other' : method === 'TELNET' || method === 'TN3270' ? 'service' : 'file',
    url,
  }))
}

export function shownMethods(methods: readonly Access[]): Access[] {
  return methods.map(({ method, url }) => ({ method: octetsToText(method), url }))
}

export function shownAttributes(attributes: readonly Attribute[]): ProsperoAttribute[] {
  return attributes.map(({ appliesTo, namespace, name, value }) => ({
    name: octetsToText(name),
    appliesTo: octetsToText(appliesTo),
    namespace: octetsToText(namespace),
    value: value.map(octetsToText),
  }))
}

/** Reads SIZE: `20 bytes`. Returns null if the attribute is missing or in another unit. */
export function sizeOf(attributes: readonly Attribute[]): number | null {
  const [, digits] = /^(\d{1,15}) bytes$/.exec(joinedValue(attributes, 'SIZE')) ?? []
  return digits === undefined ? null : Number(digits)
}

/** Reads LAST-MODIFIED: `20261121024202Z`. */
export function modifiedOf(attributes: readonly Attribute[]): Date | null {
  const text = joinedValue(attributes, 'LAST-MODIFIED')
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const date = new Date(iso === text ? Number.NaN : iso)
  return Number.isNaN(date.getTime()) ? null : date
}

function joinedValue(attributes: readonly Attribute[], wanted: string): string {
  return attributes.find(({ name }) => name === wanted)?.value.join(' ') ?? ''
}
