import type { Representation } from '@retriever/fetchers'

/** A mail or news message, which --part and --attachments can take apart. */
export function isMessage({ mediaType }: Representation): boolean {
  return mediaType === 'message/rfc822' || mediaType === 'message/news'
}

export function isMenu({ kind, mediaType }: Representation): boolean {
  return kind === 'listing' && /^application\/gopher\+?-menu$/.test(mediaType ?? '')
}

/** The articles of a newsgroup. */
export function isGroup({ kind, metadata }: Representation): boolean {
  return kind === 'listing' && typeof metadata.newsgroup === 'string'
}

/** Attributes of Gopher+: programs read entries, people see the text that the server sends. */
export function isAttributes({ kind, mediaType, url }: Representation): boolean {
  return kind === 'listing' && mediaType === 'text/plain' && /^gophers?:/.test(url)
}
