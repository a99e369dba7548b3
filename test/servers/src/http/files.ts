import type { OutgoingHttpHeaders } from 'node:http'
import { wholeBody } from '../body.ts'
import { baseName, type Tree, type TreeDirectory, type TreeFile } from '../files/tree.ts'
import { percentEncode } from '../text.ts'
import { type Answer, textAnswer } from './answer.ts'
import { byteRange } from './range.ts'
import type { HttpRequest } from './respond.ts'

/** Octets that a path need not escape, besides the unreserved ones (RFC 3986, 3.3). */
const PATH_CHARS = "/!$&'()*+,;=:@"

/** The answer for a file or directory of the tree. */
export function fileAnswer(request: HttpRequest): Answer {
  const node = request.tree.get(request.path)
  // A slash at the end names a directory, never a file.
  if (!node || (node.kind === 'file' && request.path.endsWith('/'))) return textAnswer(404, 'Not found.\n')
  if (node.kind === 'file') return sendFile(request, node)
  if (!request.path.endsWith('/')) {
    const location = `${percentEncode(node.path, PATH_CHARS)}/`
    return textAnswer(301, `See ${location}\n`, { Location: location })
  }
  const page = request.tree.file(`${node.path}/index.html`)
  return page ? sendFile(request, page) : index(request.tree, node)
}

function sendFile(request: HttpRequest, file: TreeFile): Answer {
  const headers: OutgoingHttpHeaders = {
    'Content-Type': mediaType(file),
    'Last-Modified': file.modified.toUTCString(),
    ETag: file.etag,
    'Accept-Ranges': 'bytes',
  }
  if (notModified(request, file)) return { status: 304, headers }
  const range = request.ignoreRange || !ifRange(request, file) ? undefined : byteRange(request.headers.range, file.size)
  if (range === undefined) return { status: 200, headers, body: { size: file.size, chunks: file.chunks() } }
  if (range === 'unsatisfiable') return textAnswer(416, 'No such range.\n', { 'Content-Range': `bytes */${file.size}` })
  const { start, end } = range
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${file.size}` },
    body: { size: end - start, chunks: file.chunks(start, end) },
  }
}

/** Media types by the extension of a name. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  html: 'text/html; charset=utf-8',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  mjs: 'text/javascript; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  webp: 'image/webp',
  xml: 'application/xml',
}

function mediaType(file: TreeFile): string {
  const end = /\.(\w+)$/.exec(file.path)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(MEDIA_TYPES, end)) return MEDIA_TYPES[end] ?? ''
  return file.text ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}

/** RFC 9110, 13.2.2: If-None-Match takes precedence over If-Modified-Since. */
function notModified(request: HttpRequest, file: TreeFile): boolean {
  const match = request.headers['if-none-match']
  if (match !== undefined) {
    const tags = match.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.includes('*') || tags.includes(file.etag)
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return !Number.isNaN(since) && file.modified.getTime() <= since
}

/** RFC 9110, 13.1.5: the range applies only if the validator is the same, octet for octet. */
function ifRange(request: HttpRequest, file: TreeFile): boolean {
  const validator = request.headers['if-range']
  return validator === undefined || validator === file.etag || validator === file.modified.toUTCString()
}

function index(tree: Tree, directory: TreeDirectory): Answer {
  const items = tree.list(directory.path).map((node) => {
    const slash = node.kind === 'directory' ? '/' : ''
    const name = baseName(node.path) + slash
    // `./` keeps a reader from taking the part before a colon for a scheme (RFC 3986, 4.2).
    return `<li><a href="./${percentEncode(name, "/!$'()*+,;=:@")}">${escapeHtml(name)}</a></li>\n`
  })
  const title = `Index of ${escapeHtml(directory.path)}`
  // The first of these lines tells retrieve that the page is a listing.
  const made = '<meta name="generator" content="@retriever/servers">'
  const page = `<!DOCTYPE html>\n${made}\n<title>${title}</title>\n<h1>${title}</h1>\n<ul>\n${items.join('')}</ul>\n`
  return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: wholeBody(page) }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
