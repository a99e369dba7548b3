import type { Representation } from '@retriever/fetchers'

/** Whether it is a mail or news message, or an mbox of them, which --part and --attachments can split. */
export function isMessage({ mediaType }: Representation): boolean {
  return mediaType === 'message/rfc822' || mediaType === 'message/news' || mediaType === 'application/mbox'
}

/** Whether it is a document of Gemini, whose links are numbered on a page. */
export function isGemtext({ mechanism, mediaType }: Representation): boolean {
  return mechanism === 'gemini' && mediaType === 'text/gemini'
}

export function isMenu({ kind, mediaType }: Representation): boolean {
  return kind === 'listing' && /^application\/gopher\+?-menu$/.test(mediaType ?? '')
}

/** Whether it is the list of a newsgroup's articles. */
export function isGroup({ kind, mechanism, metadata }: Representation): boolean {
  return kind === 'listing' && mechanism === 'nntp' && typeof metadata.newsgroup === 'string'
}

/** Whether it is attributes of Gopher+: programs read entries, people see the text that the server sends. */
export function isAttributes({ kind, mediaType, url }: Representation): boolean {
  return kind === 'listing' && mediaType === 'text/plain' && /^gophers?:/.test(url)
}

export function isHtml({ mediaType }: Representation): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml'
}
