/** Media types by the ending of a file's name, for servers that name none. */
const types: Readonly<Record<string, string>> = {
  asc: 'text/plain',
  css: 'text/css',
  csv: 'text/csv',
  diff: 'text/plain',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  log: 'text/plain',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  pdf: 'application/pdf',
  png: 'image/png',
  ps: 'application/postscript',
  svg: 'image/svg+xml',
  tgz: 'application/gzip',
  txt: 'text/plain',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** The media type of a file by the path of its URL; null if its name tells none. */
export function typeByName(url: string): string | null {
  const [, ending = ''] = /\.([a-z0-9]{1,4})(?:;type=[aid])?$/i.exec(url.replace(/[?#].*$/s, '')) ?? []
  const name = ending.toLowerCase()
  if (Object.hasOwn(types, name)) return types[name] ?? null
  return /\/(?:readme|index|[a-z]*license|copying|changelog|news)$/i.test(url) ? 'text/plain' : null
}
