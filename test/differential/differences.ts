import { isDeepStrictEqual } from 'node:util'
import type { Result } from './run.ts'

export interface Difference {
  /** The reason, for docs/curl.md. */
  readonly why: string
  /** The tables of docs/curl.md say it at an option already. */
  readonly isAtOption?: true
  /** Whether this is the difference between the results of curl and of retrieve. */
  readonly shows: (curl: Result, ours: Result) => boolean
}

const lines = (text: string): string[] => text.split(/\r?\n/)
const isEmpty = (text: string | undefined): boolean => text === undefined || text === ''

/** The lines of curl that end otherwise, by kind. */
export const differences = {
  fail: {
    why: 'A status of 400 and above is an error (22), so that a script does not save an error page; `--no-fail` shows it.',
    isAtOption: true,
    shows: (curl, ours) => curl.status === 0 && ours.status === 22 && /^(?:HTTP\/|$)/.test(ours.stdout),
  },
  login: {
    why: 'A login that is required or refused is an error of its own (67), also in HTTP.',
    shows: (curl, ours) => [0, 22].includes(curl.status) && ours.status === 67 && isEmpty(ours.stdout),
  },
  redirect: {
    why: 'Redirects are followed without `-L`; `--max-redirs` 0 shows them.',
    isAtOption: true,
    shows: (curl, ours) =>
      curl.status === 0 && [0, 47].includes(ours.status) && !`${ours.stdout}${ours.files.x ?? ''}`.includes('See /'),
  },
  kept: {
    why: '`-O` overwrites nothing (23).',
    isAtOption: true,
    shows: (curl, ours) => curl.status === 0 && ours.status === 23 && Object.values(ours.files).includes('old\n'),
  },
  part: {
    why: 'A body that was cut stays in `NAME.part`, with `NAME.part.json` beside it: `NAME` is complete wherever it exists.',
    shows: (curl, ours) =>
      curl.status === ours.status && Object.keys(ours.files).every((name) => /\.part(\.json)?$/.test(name)),
  },
  offset: {
    why: '`-C` OFFSET needs a file of that length (23): other octets before it would make a damaged file.',
    shows: (curl, ours) => curl.status === 0 && ours.status === 23,
  },
  'first-failure': {
    why: 'With several URLs, the exit status is that of the first failure; curl has that of the last URL.',
    isAtOption: true,
    shows: (curl, ours) => curl.status === 0 && [7, 22, 78].includes(ours.status) && ours.stdout === curl.stdout,
  },
  'not-found': {
    why: 'A resource that does not exist is 78 in every scheme but HTTP; curl has 9, 37 or 0 for folders, files, Gopher.',
    shows: (curl, ours) => [0, 9, 37].includes(curl.status) && ours.status === 78 && isEmpty(ours.stdout),
  },
  'broken-answer': {
    why: 'An answer that is no HTTP is 8, and a connection that ends before the answer is 56; curl has 1 and 52.',
    shows: (curl, ours) => ours.status === (curl.status === 1 ? 8 : 56) && [1, 52].includes(curl.status),
  },
  range: {
    why: 'A range that the resource does not have is 33 with `-f` as well; the last N octets of a shorter file are all of it.',
    shows: (curl, ours) => (curl.status === 22 && ours.status === 33) || (curl.status === 36 && ours.status === 0),
  },
  listing: {
    why: 'A listing is what the server says to MLSD, if it has it: LIST has no exact dates. `retrieve ls` is a table.',
    shows: (curl, ours) => curl.status === 0 && ours.status === 0 && ours.stdout.includes('type='),
  },
  'gopher-end': {
    why: 'The line with a dot after a Gopher text or menu ends it, and is no part of it.',
    shows: (curl, ours) => [curl.stdout, curl.files.x].includes(`${ours.stdout}${ours.files.x ?? ''}.\r\n`),
  },
  head: {
    why: '`-I` for FTP and files ends with an empty line, as heads do, and has no Accept-Ranges; `-i` is for HTTP alone.',
    shows: (curl, ours) =>
      curl.status === 0 && ours.status === 0 && lines(curl.stdout).some((line) => /^Content-Length/.test(line)),
  },
  'file-folder': {
    why: 'A folder of this machine is a listing; curl 7.88 gives nothing.',
    shows: (curl, ours) => curl.stdout === '' && ours.status === 0 && lines(ours.stdout).includes('one.txt'),
  },
  'max-size': {
    why: '`--max-filesize` holds in every scheme, also while the body comes; curl knows no sizes of Gopher and files.',
    shows: (curl, ours) => curl.status === 0 && ours.status === 63,
  },
  'more-forms': {
    why: '`--output=x` is `--output x`, and `--out` is `--output`, which all other options that begin so go on from.',
    shows: (curl, ours) => curl.status === 2 && ours.status === 0,
  },
  name: {
    why: '`-O` takes the last segment of a URL that ends in `/`, else `index.html`. It changes unsafe names: `~root`, `con`.',
    shows: (curl, ours) =>
      ours.status === 0 &&
      (curl.status === 23 || isDeepStrictEqual(Object.values(curl.files), Object.values(ours.files))) &&
      Object.keys(ours.files).every((file) => /^(?:index\.html(?:\.1)?|num|_root|con_|_rf)$/.test(file)),
  },
  numbered: {
    why: 'Two URLs that end alike get two files with `-O`, `NAME` and `NAME.1`, as with `--no-clobber` of curl.',
    shows: (curl, ours) =>
      curl.status === 0 &&
      ours.status === 0 &&
      isDeepStrictEqual(Object.keys(ours.files), ['x.txt', 'x.txt.1', 'x.txt.2']),
  },
  decoded: {
    why: 'The name that `-O` takes from a URL is decoded: `a%20b` is saved as `a b`.',
    shows: (curl, ours) =>
      isDeepStrictEqual(
        Object.fromEntries(Object.entries(curl.files).map(([name, text]) => [decodeURIComponent(name), text])),
        ours.files,
      ),
  },
  'user-alone': {
    why: 'A user without a password, as in `http://alice@host/`, waits until the server asks; curl sends an empty password.',
    isAtOption: true,
    shows: (curl, ours) => /^Authorization: Basic/im.test(curl.stdout) && isEmpty(ours.stdout),
  },
  proxy: {
    why: 'A proxy that is not found is 6, and one that refuses a tunnel is 7; curl has 5 and 56.',
    shows: (curl, ours) => ours.status === { 5: 6, 56: 7 }[curl.status],
  },
  encoded: {
    why: 'Brackets and braces in a path are sent percent-encoded: RFC 3986 has them in no path, and servers decode it.',
    shows: (curl, ours) => curl.status === 0 && Object.values(ours.files).some((text) => /%[57]B/.test(text)),
  },
  'local-file': {
    why: 'A file of yours that cannot be read is 37, whichever option names it.',
    shows: (curl, ours) => [26, 58, 77].includes(curl.status) && ours.status === 37,
  },
  'tls-required': {
    why: 'A server without the TLS that `--ssl-reqd` asks for is 35, as for other failures of TLS.',
    shows: (curl, ours) => curl.status === 64 && ours.status === 35,
  },
  config: {
    why: 'An unknown option in a file of `-K` is an error, as on the line.',
    isAtOption: true,
    shows: (curl, ours) => curl.stdout !== '' && isEmpty(ours.stdout),
  },
  whole: {
    why: 'A server that sends the whole body for a range is an error (33): other octets came than those asked for.',
    isAtOption: true,
    shows: (curl, ours) => curl.status === 0 && ours.status === 33 && isEmpty(ours.stdout),
  },
  date: {
    why: '`-z` takes dates of ISO 8601 with a time too; curl ignores them, and retrieves.',
    isAtOption: true,
    shows: (curl, ours) => curl.stdout !== '' && ours.status === 0 && isEmpty(ours.stdout),
  },
  'both-queries': {
    why: '`--url-query` counts beside `-G -d` too; curl leaves it out.',
    shows: (curl, ours) => ours.status === 0 && ours.stdout === curl.stdout.replace('\n', '&b=2\n'),
  },
  'strict-url': {
    why: 'A URL that RFC 3986 does not allow, as `http:/h/` or `?a=%zz`, is an error (3) that says how to write it.',
    shows: (curl, ours) => curl.status === 0 && ours.status === 3 && isEmpty(ours.stdout),
  },
  'head-method': {
    why: '`-I` sends HEAD whatever `-X` says, and `-X HEAD` is `-I`; curl sends GET for `-X GET -I`, and waits after `-X HEAD`.',
    shows: (curl, ours) => (curl.status === 28 && ours.status === 0) || (curl.status === 0 && ours.status === 22),
  },
  refused: {
    why: 'An option that the table above calls refused is an error (2), before anything is contacted.',
    isAtOption: true,
    shows: (curl, ours) => curl.status !== 2 && ours.status === 2 && Object.keys(ours.files).length === 0,
  },
  jar: {
    why: 'A cookie file has a comment of its own at its head, and the oldest cookie of a path is sent first (RFC 6265 5.4).',
    isAtOption: true,
    shows: (curl, ours) => curl.status === ours.status && ours.files.jar?.includes('Written by retrieve') === true,
  },
} as const satisfies Readonly<Record<string, Difference>>

export type DifferenceName = keyof typeof differences
