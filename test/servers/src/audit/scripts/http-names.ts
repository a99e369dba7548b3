import { mayGive, type Script } from '../script.ts'
import { good, httpRows, type Reply, whole } from './http.ts'

const disposed = (value: string): string => whole.replace('\r\n', `\r\nContent-Disposition: ${value}\r\n`)
const quoted = (name: string): string => disposed(`attachment; filename="${name}"`)

/** Names for a file that a server would like. A client that was told a file, or to print, ignores them. */
const dispositions: Readonly<Record<string, Reply>> = {
  'a name one folder up': quoted('../evil'),
  'a name five folders up': quoted('../../../../../evil'),
  'a name in a folder above by way of its own': quoted('x/../../evil'),
  'the path of a file': (_asked, { outside }) => quoted(outside),
  'the path of a file that would be new': (_asked, { outside }) => quoted(`${outside}.evil`),
  'a name with backslashes': quoted('..\\\\..\\\\evil'),
  'a name with a drive': quoted('C:\\\\evil'),
  'a name in a folder below': quoted('below/evil'),
  'a name in the home folder': quoted('~/.evil'),
  'a hidden name': quoted('.evilrc'),
  'a name that is an option': quoted('-rf evil'),
  'a name that begins with a tilde': quoted('~evil'),
  'the name .': quoted('.'),
  'the name ..': quoted('..'),
  'an empty name': quoted(''),
  'a name with ESC': quoted('evil\x1b[2J'),
  'a name with a control character of two octets': quoted('evil\xc2\x9b2J'),
  'a name with a NUL': quoted('evil\0.txt'),
  'a name with a tab': quoted('evil\tx'),
  'a name that reads backwards': disposed("attachment; filename*=UTF-8''evil%E2%80%AEgnp.exe"),
  'an escaped name one folder up': disposed("attachment; filename*=UTF-8''..%2fevil"),
  'an escaped name with CR and LF': disposed("attachment; filename*=UTF-8''evil%0d%0ax"),
  'an escaped name with a NUL': disposed("attachment; filename*=UTF-8''evil%00x"),
  'an escaped name with ESC': disposed("attachment; filename*=UTF-8''evil%1b%5b2J"),
  'a name of percent signs one folder up': quoted('%2e%2e%2fevil'),
  'an encoded word': quoted('=?UTF-8?Q?=2E=2E=2Fevil?='),
  'two names': disposed('attachment; filename="x"; filename="../evil"'),
  'a name without quotes one folder up': disposed('attachment; filename=../evil'),
  'a name of 5,000 letters': quoted('evil'.repeat(1250)),
  'a name with a semicolon and a pipe': quoted('evil;|id'),
}

/** Paths of URLs whose last segment is no name for a file. */
const paths: Readonly<Record<string, string>> = {
  'a URL with an escaped path up': 'x/..%2f..%2fevil',
  'a URL with escaped dots': 'x/%2e%2e%2f%2e%2e%2fevil',
  'a URL with an escaped backslash': 'x/..%5c..%5cevil',
  'a URL with an escaped ESC': 'evil%1b%5b2J',
  'a URL with an escaped CSI of two octets': 'evil%c2%9b2J',
  'a URL with an escaped override': 'evil%e2%80%aegnp.exe',
  'a URL that ends in escaped dots': 'x/%2e%2e',
}

export const httpNames: readonly Script[] = [
  ...httpRows('names', {}, dispositions),
  ...Object.entries(paths).flatMap(([name, path]) => httpRows('names', { path }, { [name]: whole })),
  ...httpRows(
    'names',
    { outcome: mayGive(good) },
    Object.fromEntries(
      ['/.evilrc', '/-evil', '/x/..%2f..%2fevil', '/evil%1b%5b2J'].map((target): [string, Reply] => [
        `a redirect to ${target}`,
        ({ count }) =>
          count > 0
            ? whole
            : `HTTP/1.1 302 Found\r\nLocation: ${target}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      ]),
    ),
  ),
]
