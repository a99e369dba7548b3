import { get, network, type OptionRow } from './option.ts'

export type HttpOption =
  | 'compressed'
  | 'http1.1'
  | 'cache'
  | 'etag-compare'
  | 'etag-save'
  | 'split'
  | 'header'
  | 'user-agent'
  | 'referer'
  | 'no-fail'

export const httpOptions: readonly OptionRow<HttpOption>[] = [
  {
    long: 'compressed',
    help: 'Have bodies compressed on their way, and decode them; without -r and -C',
    commands: network,
    example: 'retrieve --compressed -o page.html http://www.example.org/',
  },
  {
    long: 'http1.1',
    help: 'Do not offer HTTP/2 to servers within TLS',
    commands: network,
    example: 'retrieve --http1.1 https://www.example.org/',
  },
  {
    long: 'cache',
    arg: 'DIR',
    help: 'Keep what comes in the folder DIR, and use it from there for as long as the server lets it',
    commands: network,
    example: 'retrieve --cache ~/.cache/retrieve http://www.example.org/',
  },
  {
    long: 'etag-compare',
    arg: 'FILE',
    help: 'Only what no longer has the entity tag in FILE; one URL. A FILE without one is no condition',
    commands: get,
    example: 'retrieve --etag-compare x.etag --etag-save x.etag -o x http://www.example.org/x',
  },
  {
    long: 'etag-save',
    arg: 'FILE',
    help: 'Write the entity tag of what came whole to FILE; one URL',
    commands: get,
    example: 'retrieve --etag-save x.etag -o x http://www.example.org/x',
  },
  {
    long: 'split',
    arg: 'N',
    help: 'Up to N connections (16 at most) for one large body, where the server has ranges; without -r, -C, -I',
    commands: get,
    example: 'retrieve --split 4 -O http://www.example.org/big.iso',
  },
  {
    long: 'header',
    short: 'H',
    arg: 'NAME:VALUE',
    help: 'A header field of the request; "NAME;" has no value. Repeatable; not for other hosts after a redirect',
    commands: network,
    example: "retrieve -H 'Accept: application/json' http://www.example.org/",
  },
  {
    long: 'user-agent',
    short: 'A',
    arg: 'NAME',
    help: 'Who is asking; default Retriever/0.1',
    commands: network,
    example: "retrieve -A 'Mozilla/5.0' http://www.example.org/",
  },
  {
    long: 'referer',
    short: 'e',
    arg: 'URL',
    help: 'Where the URL was found',
    commands: network,
    example: 'retrieve -e http://www.example.org/ http://www.example.org/x',
  },
  {
    long: 'no-fail',
    help: 'A status of 400 and above is no error: what the server says comes, with -i and -I too',
    commands: get,
    example: 'retrieve --no-fail http://www.example.org/missing',
  },
]
