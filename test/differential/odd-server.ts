import { createHash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'

/** Answers that the embedded server has no route for, as they go over the wire. */
const answers: Readonly<Record<string, (request: string, rest: string) => string>> = {
  attached: () => whole('200 OK', 'attached\n', 'Content-Disposition: attachment; filename="given.txt"'),
  old: () => 'HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nold\n',
  'attached-alone': () => whole('200 OK', 'attached\n', 'Content-Disposition: filename=given.txt'),
  'no-head': (request) => (request.startsWith('HEAD') ? whole('405 Method Not Allowed', '') : whole('200 OK', 'got\n')),
  num: (_request, rest) => whole('200 OK', `number ${rest}\n`),
  query: (request) => whole('200 OK', `${/^GET (\S*)/.exec(request)?.[1] ?? ''}\n`),
  echo: (request) => whole('200 OK', request),
  'to-echo': () => whole('302 Found', '', 'Location: /echo'),
  'to-dots': (request) => {
    const port = /^Host: .*:(\d+)/im.exec(request)?.[1] ?? ''
    return whole('302 Found', '', `Location: http://127.0.0.1:${port}/query/a/../b/./c`)
  },
  'to-other': (request) => {
    const port = /^Host: .*:(\d+)/im.exec(request)?.[1] ?? ''
    return whole('302 Found', '', `Location: http://localhost:${port}/echo`)
  },
  cookie: () => whole('200 OK', '', 'Set-Cookie: a=1', 'Set-Cookie: b=2; Path=/; HttpOnly', 'Set-Cookie: c=3; Path=/x'),
  'cookie-then-echo': () => whole('302 Found', '', 'Set-Cookie: a=1; Path=/', 'Location: /echo'),
  digest: (request) => (isDigest(request) ? whole('200 OK', 'digest\n') : digestChallenge()),
  flaky: () => everySecond('503 Service Unavailable'),
  'flaky-404': () => everySecond('404 Not Found'),
  cut: () => 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nshort',
  'empty-answer': () => '',
  garbage: () => 'HTTP/1.1 OK what\r\nno colon\r\n\r\n',
}

const nonce = '0123456789abcdef'
let asked = 0

function whole(status: string, body: string, ...fields: readonly string[]): string {
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...fields,
  ]
  return `${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`
}

/** Each program asks twice, so both see the failure first. */
function everySecond(status: string): string {
  asked++
  return asked % 2 === 1 ? whole(status, 'failed\n') : whole('200 OK', 'came\n')
}

function digestChallenge(): string {
  return whole('401 Unauthorized', 'login\n', `WWW-Authenticate: Digest realm="r", qop="auth", nonce="${nonce}"`)
}

/** Whether the response is that of alice with the password secret (RFC 7616 3.4.1, MD5). */
function isDigest(request: string): boolean {
  const field = /^Authorization: Digest (.*)$/im.exec(request)?.[1] ?? ''
  const value = (name: string): string => new RegExp(`\\b${name}="?([^",]*)`).exec(field)?.[1] ?? ''
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const parts = [md5('alice:r:secret'), nonce, value('nc'), value('cnonce'), 'auth', md5('GET:/digest')]
  return value('response') === md5(parts.join(':'))
}

function answer(socket: Socket, request: string): void {
  const [, name = '', rest = ''] = /^\w+ \/([\w-]*)\/?(\S*)/.exec(request) ?? []
  if (name === 'stall') return
  if (name === 'stall-head') socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort')
  else socket.end(answers[name]?.(request, rest) ?? whole('404 Not Found', ''))
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startOddServer(): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let request = ''
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1')
      if (request.includes('\r\n\r\n')) answer(socket, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
