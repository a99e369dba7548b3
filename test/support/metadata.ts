import type { FtpMetadata, HttpMetadata, Representation } from '@retriever/fetchers'
import type { GopherMetadata, NntpMetadata } from '@retriever/fetchers/internal'

export function httpMetadata(representation: Representation): HttpMetadata {
  if (representation.mechanism === 'http') return representation.metadata
  throw new Error(`It came by ${representation.mechanism}.`)
}

export function ftpMetadata(representation: Representation): FtpMetadata {
  if (representation.mechanism === 'ftp') return representation.metadata
  throw new Error(`It came by ${representation.mechanism}.`)
}

export function gopherMetadata(representation: Representation): GopherMetadata {
  if (representation.mechanism === 'gopher') return representation.metadata
  throw new Error(`It came by ${representation.mechanism}.`)
}

export function nntpMetadata(representation: Representation): NntpMetadata {
  if (representation.mechanism === 'nntp') return representation.metadata
  throw new Error(`It came by ${representation.mechanism}.`)
}
