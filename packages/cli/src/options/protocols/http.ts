import type { Fetcher } from '@retriever/fetchers'
import type { HttpFetcherOptions } from '@retriever/fetchers/http'
import { usageError } from '../../exit-codes.ts'
import { readNumber } from '../numbers.ts'
import { type GivenOptions, get, network, type OptionRow, sets, working } from '../option.ts'
import type { SharedFetchers } from './shared-fetchers.ts'
import { whenUsed } from './when-used.ts'

export type HttpOption =
  | 'compressed'
  | 'http1.1'
  | 'cache'
  | 'etag-compare'
  | 'etag-save'
  | 'split'
  | 'no-fail'
  | 'fail-with-body'
  | 'digest'
  | 'anyauth'

export const httpOptions: readonly OptionRow<HttpOption>[] = [
  {
    long: 'compressed',
    ...sets('http.compressed', () => true),
    sent: true,
    help: 'Request compressed bodies, and decode them; no effect with -r or -C',
    commands: working,
    example: 'retrieve --compressed -o page.html http://www.example.org/',
  },
  {
    long: 'http1.1',
    sets: ['httpFetcher.http2'],
    sent: true,
    help: 'Do not offer HTTP/2 over TLS',
    commands: working,
    example: 'retrieve --http1.1 https://www.example.org/',
  },
  {
    long: 'cache',
    sent: false,
    arg: 'DIR',
    help: 'Keep responses in the folder DIR, and reuse them for as long as the server allows',
    commands: working,
    example: 'retrieve --cache ~/.cache/retrieve http://www.example.org/',
  },
  {
    long: 'etag-compare',
    sets: ['http.ifNoneMatch'],
    sent: true,
    arg: 'FILE',
    help: 'Retrieve only what no longer has the entity tag in FILE; one URL. A FILE without a tag sets no condition',
    commands: get,
    example: 'retrieve --etag-compare x.etag --etag-save x.etag -o x http://www.example.org/x',
  },
  {
    long: 'etag-save',
    sent: false,
    arg: 'FILE',
    help: 'Write the entity tag of a complete response to FILE; one URL',
    commands: get,
    example: 'retrieve --etag-save x.etag -o x http://www.example.org/x',
  },
  {
    long: 'split',
    ...sets('http.split', readSplit),
    sent: true,
    arg: 'N',
    help: 'Up to N connections (at most 16) for one large body, if the server has ranges; not with -r, -C or -I',
    commands: get,
    example: 'retrieve --split 4 -O http://www.example.org/big.iso',
  },
  {
    long: 'digest',
    ...sets('digest', () => true),
    sent: true,
    help: 'Send the login by Digest or not at all; default: at once by Basic, if the password is given',
    commands: working,
    example: 'retrieve --digest -u alice http://www.example.org/',
  },
  {
    long: 'anyauth',
    sent: true,
    help: 'Send the login of -u or -n once the server asks, by the strongest scheme that it offers; default: at once',
    commands: network,
    example: 'retrieve --anyauth -u alice http://www.example.org/',
  },
  {
    long: 'no-fail',
    ...sets('http.fail', () => false),
    sent: false,
    help: 'Do not treat a status of 400 and above as an error: output what the server says, with -i and -I too',
    commands: get,
    example: 'retrieve --no-fail http://www.example.org/missing',
  },
  {
    long: 'fail-with-body',
    ...sets('http.fail', () => false),
    sent: false,
    help: 'Output what the server says with a status of 400 and above, too; it still is an error (exit status 22)',
    commands: get,
    example: 'retrieve --fail-with-body -o answer.json http://www.example.org/missing',
  },
]

/**
 * A fetcher that replaces the built-in one if the command line changes how HTTP is spoken, or if groups share
 * connections.
 */
export function readHttpFetchers(line: GivenOptions<HttpOption>, shared: SharedFetchers | null): readonly Fetcher[] {
  const directory = line.value('cache')
  if (directory === '') throw usageError('--cache needs the path of a folder.')
  const options: HttpFetcherOptions = {
    ...(directory !== undefined && { cache: { directory } }),
    ...(line.has('http1.1') && { http2: false }),
  }
  const asked = { http2: !line.has('http1.1') }
  const load = async () => (await import('@retriever/fetchers/http')).httpFetcher(options)
  if (shared !== null) return [shared.get('http', options, load, asked)]
  return Object.keys(options).length === 0 ? [] : [whenUsed('http', load, asked)]
}

/** How many connections retrieve one body. Throws `invalid-option`. */
function readSplit(text: string): number {
  const count = readNumber('split', text, /^\d{1,9}$/)
  if (count >= 1 && count <= 16) return count
  throw usageError(`--split needs a number from 1 to 16, not ${text}.`)
}
