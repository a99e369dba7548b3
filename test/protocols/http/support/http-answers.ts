/** Answers of HTTP servers, octet for octet: for scripted-http.ts, and for proxies. */
import type { Asked, HttpScript } from './scripted-http.ts'

/** Null: no such field. */
export type Fields = Readonly<Record<string, string | null>>

/** An answer. Its Content-Length is that of the content, unless `fields` has another. */
export function reply(status: string | number, fields: Fields, content: string | Buffer = ''): Buffer {
  const all = Object.entries({ 'Content-Length': String(content.length), ...fields })
  const given = all.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} x\r\n${lines(given)}\r\n`, 'latin1'),
    Buffer.from(content as string, 'latin1'),
  ])
}

/** A 206 with the octets that Range asks for, of this content. */
export function part({ fields: { range = '' } }: Asked, content: string | Buffer, fields: Fields = {}): Buffer {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
  const end = last === '' ? content.length : Math.min(Number(last) + 1, content.length)
  const stated = `bytes ${first}-${end - 1}/${content.length}`
  return reply(206, { 'Content-Range': stated, ...fields }, content.slice(Number(first), end))
}

/** An answer for caches: 304 where the request has its entity tag, and to HEAD no content. */
export function cacheable(
  content: string | Buffer,
  fields: Readonly<Record<string, string>>,
  status = 200,
): HttpScript {
  return ({ line, fields: asked }) => {
    const { etag } = fields
    if (etag !== undefined && asked['if-none-match'] === etag) return notModified(fields)
    const head = { ...fields, 'content-length': String(content.length) }
    return reply(status, { 'Content-Length': null, ...head }, line.startsWith('HEAD ') ? '' : content)
  }
}

export function notModified(fields: Fields): Buffer {
  return reply(304, { 'Content-Length': null, ...fields })
}

export function ok(body: string, fields: readonly string[] = []): string {
  return `HTTP/1.1 200 OK\r\n${lines(fields)}Content-Length: ${body.length}\r\n\r\n${body}`
}

export function redirectTo(location: string): string {
  return `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
}

export function challenge(scheme: string): string {
  return `HTTP/1.1 401 No\r\nWWW-Authenticate: ${scheme}\r\nContent-Length: 0\r\n\r\n`
}

function lines(fields: readonly string[]): string {
  return fields.map((field) => `${field}\r\n`).join('')
}
