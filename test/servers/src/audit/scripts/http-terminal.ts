import type { Script } from '../script.ts'
import { httpRows, ok, type Reply, whole } from './http.ts'

/** What would act on a terminal: text for the clipboard, a cleared screen, a sequence in two octets, text backwards. */
export const tricks: Readonly<Record<string, string>> = {
  'an escape sequence': '\x1b]52;c;ZXZpbA==\x07\x1b[2J',
  'C1 controls': '\xc2\x9b2J\xc2\x9d0;x\xc2\x9c',
  'invisible controls': '\xe2\x80\xaegnp\xe2\x81\xa6\x08\x08',
}

/** Places in an answer whose words clients like to show. */
const places: Readonly<Record<string, (trick: string) => string>> = {
  'the reason of a 404': (trick) => `HTTP/1.1 404 ${trick}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'the reason of a 503': (trick) => `HTTP/1.1 503 ${trick}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'the content of a 404': (trick) => `HTTP/1.1 404 No\r\nContent-Length: ${trick.length}\r\n\r\n${trick}`,
  'a Location': (trick) =>
    `HTTP/1.1 302 Found\r\nLocation: /${trick}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'the scheme of a Location': (trick) =>
    `HTTP/1.1 302 Found\r\nLocation: evil${trick}:x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'the host of a Location': (trick) =>
    `HTTP/1.1 302 Found\r\nLocation: http://[${trick}]/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'a realm': (trick) =>
    `HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="${trick}"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'the scheme of a login': (trick) =>
    `HTTP/1.1 401 No\r\nWWW-Authenticate: Evil${trick}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'a line that is no status line': (trick) => `${trick}\r\n\r\n`,
  'a field that is no field': (trick) => `${ok}${trick}\r\n\r\n`,
  'a chunk size': (trick) => `${ok}Transfer-Encoding: chunked\r\n\r\n${trick}\r\n`,
  'a Content-Length': (trick) => `${ok}Content-Length: ${trick}\r\n\r\n`,
  'a Content-Encoding': (trick) => whole.replace('\r\n', `\r\nContent-Encoding: ${trick}\r\n`),
  'a Content-Type': (trick) => whole.replace('\r\n', `\r\nContent-Type: ${trick}\r\n`),
  'a Retry-After': (trick) =>
    `HTTP/1.1 429 Later\r\nRetry-After: ${trick}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  'a Server': (trick) => whole.replace('\r\n', `\r\nServer: ${trick}\r\n`),
}

export const httpTerminal: readonly Script[] = Object.entries(tricks).flatMap(([what, trick]) =>
  httpRows(
    'terminal',
    {},
    Object.fromEntries(
      Object.entries(places).map(([where, reply]): [string, Reply] => [`${what} in ${where}`, reply(trick)]),
    ),
  ),
)
