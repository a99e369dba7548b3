import type { Representation } from '@retriever/fetchers'

/** Whether it is one that --part and --attachments, and the page of an article, can be of. */
export function isMessage({ mediaType }: Representation): boolean {
  return mediaType === 'message/rfc822' || mediaType === 'message/news'
}

export function isMenu({ kind, mediaType }: Representation): boolean {
  return kind === 'listing' && /^application\/gopher\+?-menu$/.test(mediaType ?? '')
}

/** The articles of a newsgroup. */
export function isGroup({ kind, mechanism, metadata }: Representation): boolean {
  return kind === 'listing' && mechanism === 'nntp' && typeof metadata.newsgroup === 'string'
}

/** Attributes of Gopher+: entries to programs, and to people the text that they come as. */
export function isAttributes({ kind, mediaType, url }: Representation): boolean {
  return kind === 'listing' && mediaType === 'text/plain' && /^gophers?:/.test(url)
}
