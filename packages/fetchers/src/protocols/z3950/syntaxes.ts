const root = '1.2.840.10003.5.'

/** The record syntaxes that we read, in addition to MARC. */
export const syntaxes: Readonly<Record<'sutrs' | 'opac' | 'grs1' | 'xml', string>> = {
  sutrs: '1.2.840.10003.5.101',
  opac: '1.2.840.10003.5.102',
  grs1: '1.2.840.10003.5.105',
  xml: '1.2.840.10003.5.109.10',
}

/** Whether a syntax is one of ISO 2709: UNIMARC (1), INTERMARC (2), CCF (3), and the MARC of countries (10 to 30). */
export function isMarc(syntax: string): boolean {
  const arc = syntax.startsWith(root) ? syntax.slice(root.length) : ''
  return /^(?:[123]|1\d|2\d|30)$/.test(arc)
}

/** Whether a syntax is MARC 21, whose charset is MARC-8 or UTF-8. */
export function isMarc21(syntax: string): boolean {
  return syntax === `${root}10`
}

/** The media types of the syntaxes below 109, which are files (Z39.50 appendix REC). */
const fileTypes: Readonly<Record<string, string>> = {
  '109.1': 'application/pdf',
  '109.2': 'application/postscript',
  '109.3': 'text/html',
  '109.4': 'image/tiff',
  '109.5': 'image/gif',
  '109.6': 'image/jpeg',
  '109.7': 'image/png',
  '109.8': 'video/mpeg',
  '109.9': 'text/sgml',
  '109.10': 'application/xml',
}

/** Returns the media type of a syntax that is a kind of file. */
export function typeOfFile(syntax: string): string {
  return fileTypes[syntax.slice(root.length)] ?? 'application/octet-stream'
}
