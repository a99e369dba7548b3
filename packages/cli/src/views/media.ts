import type { Representation } from '@retriever/fetchers'

/** Whether this is a mail or news message, or an mbox, which --part and --attachments can split. */
export function isMessage({ mediaType }: Representation): boolean {
  return mediaType === 'message/rfc822' || mediaType === 'message/news' || mediaType === 'application/mbox'
}

/** Whether this is a document of Gemini, whose links are numbered on a page. */
export function isGemtext({ mechanism, mediaType }: Representation): boolean {
  return mechanism === 'gemini' && mediaType === 'text/gemini'
}

export function isMenu({ kind, mediaType }: Representation): boolean {
  return kind === 'listing' && /^application\/gopher\+?-menu$/.test(mediaType ?? '')
}

/** Whether this is the list of a newsgroup's articles. */
export function isGroup({ kind, mechanism, metadata }: Representation): boolean {
  return kind === 'listing' && mechanism === 'nntp' && typeof metadata.newsgroup === 'string'
}

/**
 * Whether this is a list of Gopher+ attributes: programs read its entries, and people see the text that the server
 * sends.
 */
export function isAttributes({ kind, mediaType, url }: Representation): boolean {
  return kind === 'listing' && mediaType === 'text/plain' && /^gophers?:/.test(url)
}

export function isHtml({ mediaType }: Representation): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml'
}
