import { STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import { wholeBody } from '../body.ts'
import { type Answer, textAnswer } from './answer.ts'
import { fileAnswer } from './files.ts'
import type { HttpRequest } from './respond.ts'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

type Route = (request: HttpRequest, rest: string) => Answer

/** What answers, by the first name of the path. Any other path is a file or directory of the tree. */
const routes: Readonly<Record<string, Route>> = {
  /** /redirect/302 leads to /readme.txt; /redirect/302/pub/a.bin to /pub/a.bin; /redirect/loop to itself. */
  redirect(_request, rest) {
    if (rest === 'loop') return redirect(302, '/redirect/loop')
    const [, code = '', to] = /^(\d+)(\/.*)?$/.exec(rest) ?? []
    return REDIRECTS.includes(Number(code)) ? redirect(Number(code), to ?? '/readme.txt') : notFound()
  },

  /** /status/503 answers with 503. */
  status(_request, rest) {
    const status = Number(rest)
    if (!/^[2-5]\d\d$/.test(rest)) return notFound()
    if ([204, 205, 304].includes(status)) return { status, headers: {} }
    return textAnswer(status, `${status} ${STATUS_CODES[status] ?? 'No name'}\n`)
  },

  /** Sends back the request as it came: request line, header lines, empty line. */
  echo(request) {
    return textAnswer(200, request.head, { 'Cache-Control': 'no-store' })
  },

  /** /gzip/pub/hello.txt sends that file with Content-Encoding: gzip. */
  gzip(request, rest) {
    const file = request.tree.file(`/${rest}`)
    if (!file || file.path === '/big') return notFound()
    const packed = gzipSync(Buffer.concat([...file.chunks()]))
    const headers = {
      'Content-Type': file.text ? 'text/plain' : 'application/octet-stream',
      'Content-Encoding': 'gzip',
    }
    return { status: 200, headers, body: wholeBody(packed) }
  },

  /** /chunked/pub/hello.txt sends that file in chunked coding, without a length. */
  chunked(request, rest) {
    const file = request.tree.file(`/${rest}`)
    if (!file) return notFound()
    const headers = { 'Content-Type': file.text ? 'text/plain' : 'application/octet-stream' }
    return { status: 200, headers, body: { size: file.size, chunks: file.chunks() }, chunked: true }
  },

  /** /auth/readme.txt sends the file to a client that logs in to one of the accounts (RFC 7617). */
  auth(request, rest) {
    if (request.user === undefined) return challenge()
    return rest === '' ? textAnswer(200, `Welcome, ${request.user}.\n`) : fileAnswer({ ...request, path: `/${rest}` })
  },
}

/** The answer of the routes above, or of the files. */
export function seedAnswer(request: HttpRequest, allowed: boolean): Answer {
  if (!allowed) return challenge()
  if (request.method !== 'GET' && request.method !== 'HEAD' && !request.path.startsWith('/echo')) {
    return textAnswer(405, 'GET and HEAD only.\n', { Allow: 'GET, HEAD' })
  }
  const [, name = '', rest = ''] = /^\/([^/]*)\/?(.*)$/s.exec(request.path) ?? []
  if (!request.tree.seeded) return fileAnswer(request)
  const special = Object.hasOwn(routes, name) ? routes[name] : undefined
  return special ? special(request, rest) : fileAnswer(request)
}

function challenge(): Answer {
  const field = { 'WWW-Authenticate': 'Basic realm="retriever test", charset="UTF-8"' }
  return textAnswer(401, 'A login, please.\n', field)
}

function redirect(status: number, location: string): Answer {
  return textAnswer(status, `See ${location}\n`, { Location: location })
}

function notFound(): Answer {
  return textAnswer(404, 'Not found.\n')
}
