export interface RtspAnswer {
  readonly status: string
  readonly fields?: readonly string[]
  readonly body?: string | Uint8Array
  /** A whole answer that replaces everything else; `{CSEQ}` stands for the request's number. */
  readonly raw?: string
}

const description = `v=0
o=- 1 1 IN IP4 127.0.0.1
s=Grüße
t=0 0
m=audio 0 RTP/AVP 0
a=control:track1
`.replaceAll('\n', '\r\n')

const sdp = ['Content-Type: application/sdp', 'Last-Modified: Sat, 03 Feb 2001 04:05:06 GMT']
const head = 'RTSP/1.0 200 OK\r\nCSeq: {CSEQ}\r\n'

/** Answers that break the rules, by path. */
const broken: Readonly<Record<string, string>> = {
  '/sequence': 'RTSP/1.0 200 OK\r\nCSeq: 77\r\n\r\n',
  '/unnumbered': 'RTSP/1.0 200 OK\r\n\r\n',
  '/chunked': `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  '/length': `${head}Content-Length: 1e3\r\n\r\n`,
  '/crowded': `${head}${'X: y\r\n'.repeat(300)}\r\n`,
  '/long': `${head}${`X: ${'y'.repeat(4000)}\r\n`.repeat(100)}\r\n`,
  '/interims': 'RTSP/1.0 100 Continue\r\nCSeq: {CSEQ}\r\n\r\n'.repeat(20),
  '/lost': 'RTSP/1.0 302 Moved\r\nCSeq: {CSEQ}\r\n\r\n',
  '/request': 'OPTIONS * RTSP/1.0\r\nCSeq: {CSEQ}\r\n\r\n',
}

/** The answer to DESCRIBE for a path. */
export function answerFor(path: string, target: string): RtspAnswer {
  const raw = Object.hasOwn(broken, path) ? broken[path] : undefined
  if (raw !== undefined) return { status: '', raw }
  const described = { status: '200 OK', fields: [...sdp, `Content-Base: ${target}/`], body: description }
  if (path === '/stream') return described
  if (path === '/bytes') {
    const body = Uint8Array.from({ length: 4096 }, (_, at) => at % 256)
    return { status: '200 OK', fields: ['Content-Type: application/octet-stream'], body }
  }
  if (path === '/empty') return { status: '200 OK' }
  if (path === '/interim') {
    const length = Buffer.from(description).length
    const folded = `Content-Type: application/sdp;\r\n charset=UTF-8\r\nContent-Length: ${length}\r\n\r\n`
    const octets = Buffer.from(description).toString('latin1')
    return { status: '', raw: `RTSP/1.0 100 Continue\r\nCSeq: {CSEQ}\r\n\r\n${head}${folded}${octets}` }
  }
  const [, where = ''] = /^\/redirect\/(\w+)$/.exec(path) ?? []
  const elsewhere: Readonly<Record<string, string>> = {
    loop: target,
    http: 'http://127.0.0.1:1/',
    udp: target.replace('rtsp:', 'rtspu:'),
  }
  if (/^\d{3}$/.test(where)) return { status: `${where} Moved`, fields: ['Location: /stream'] }
  if (Object.hasOwn(elsewhere, where)) return { status: '302 Moved', fields: [`Location: ${elsewhere[where]}`] }
  const [, status] = /^\/status\/(\d{3})$/.exec(path) ?? []
  if (status === '503') return { status: '503 Unavailable', fields: ['Retry-After: 7'] }
  return { status: status === undefined ? '404 Not Found' : `${status} This is status ${status}` }
}
