import { accepted, notYet, readNames, refused } from '../../packages/cli/src/curl/index.ts'
import { type OptionName, options } from '../../packages/cli/src/options/index.ts'
import { type Difference, differences as lineDifferences } from '../differential/differences.ts'
import { type CurlOption, curlOptions } from '../support/cli/curl-options.ts'
import { page, table, wrapped } from './tables.ts'

/** Where an option of curl's name does something other than in curl. */
const differences: Partial<Record<OptionName, string>> = {
  cert: 'PEM only',
  config: 'a wrong line is an error (2), and a FILE that cannot be read is 37',
  'disallow-username-in-url': 'a redirect never carries a user',
  data: 'with `-G` alone: data is never sent',
  'data-ascii': 'with `-G` alone',
  'data-binary': 'with `-G` alone',
  'data-raw': 'with `-G` alone',
  'data-urlencode': 'with `-G` alone',
  digest: 'the login is sent by Digest or not at all',
  anyauth: 'by the strongest of Digest and Basic',
  manual: 'shows the help',
  'no-clobber': 'not together with `-C`',
  'connect-timeout': '30 seconds if it is not given',
  cookie:
    'NAME=VALUE, and a Set-Cookie field without domain, is for the host of the URL alone; the oldest cookie of a path comes first',
  'cookie-jar': 'the comment at the head of the file is our own',
  'create-dirs': 'makes them before anything is contacted, and also if the retrieval fails',
  'continue-at':
    'goes on with NAME.part, if that is proved to be of the same version, and otherwise starts over; `--continue-unverified` appends to any file, as curl does',
  disable: 'for ~/.config/retrieve/config; ~/.curlrc is never read by itself: it may hold what Retriever refuses',
  globoff: 'globs are not for data URLs; a wrong one is an error before anything is retrieved',
  header: 'fields of one name are joined; none that frames the message; Host must be a name',
  head: 'of FTP without `Accept-ranges`; not together with `-C` or `-J`',
  'dump-header': 'without the answer of a proxy to CONNECT; FTP is spoken with other commands than by curl',
  help: 'takes the categories of Retriever, and commands, topics and options too',
  include: 'a file that fails is not made; not together with `-C` or `-J`',
  'max-redirs': '20 if it is not given (curl: 50)',
  netrc: 'with a user in the URL, no password of another user is sent; `default` is not for hosts of redirects',
  'netrc-file': 'a FILE that cannot be read is an error (37), unless `--netrc-optional` is given',
  next: 'the first failure of all decides the exit status',
  output: 'the file is NAME.part until it is complete; a single `-o -` is for all URLs',
  proxy: 'its protocols are those of curl',
  socks4: 'IPv6 addresses are refused before the proxy is asked',
  socks4a: 'IPv6 addresses are refused before the proxy is asked',
  range: 'a server that sends the whole instead is an error (33)',
  referer: 'with `;auto` another host gets the origin alone',
  'remote-name': 'never overwrites a file, unless `--clobber` is given or `-z` names the file',
  'remote-header-name': 'falls back to the name in the URL, and says which name it took',
  resolve: 'takes no `*`, `+` or `-` before the host',
  retry: '3 if it is not given; a try goes on where the one before stopped',
  'retry-max-time': 'the time of the retrieval from its beginning, not that of all URLs',
  'retry-all-errors': 'no refusal of ours, and no file that is over --max-filesize',
  interface: 'the address of the interface is used, as curl does without the rights of root',
  capath: 'in place of the built-in certificates; `openssl rehash` must have named the files',
  'tls-max': '1.2 or 1.3',
  'telnet-option': 'TTYPE, XDISPLOC, NEW_ENV and BINARY; no value may begin with `-`',
  'tlsv1.2': 'the oldest version anyway',
  pinnedpubkey: 'a hash that is none is refused before anything is contacted (2)',
  proto: 'a name that is no scheme and no protocol of curl is an error (2)',
  'proto-redir': 'redirects lead to http and https only, whatever it permits',
  silent: 'silences warnings too',
  'time-cond': 'also takes ISO 8601; what is neither a date nor a file is an error (curl: no condition)',
  trace: 'hides secrets, in bodies too',
  'trace-ascii': 'hides secrets, in bodies too',
  stderr: 'a mistake in the options themselves is told on standard error',
  user: 'a password that is left out is asked for at the terminal once the server wants it',
  verbose: 'shows every protocol, with the meaning of the URL first',
  'write-out':
    'without `%{ftp_entry_path}` and `%{curl_version}`, with those of newer curls; `%{http_connect}` is 000; `%{certs}` has no lines for extensions, and leaves out a root that the server sends',
}

/** Names of curl that mean something else here. */
const others: Partial<Record<OptionName, string>> = {
  form: 'answers a form of a Gopher server; `-F` is refused, since nothing is posted',
  'ftp-port': 'the port for `retrieve serve`; `-P` is refused, since FTP data connections are passive',
  json: 'prints JSON; with data, it is refused: nothing is posted',
}

/** docs/curl.md: each option of curl, and what it is here. */
export function curlPage(): string {
  const byKind = new Map<string, Map<string, string[]>>(kinds.map(([kind]) => [kind, new Map()]))
  for (const option of curlOptions) {
    const [kind, note] = statusOf(option)
    const notes = byKind.get(kind)
    notes?.set(note, [...(notes.get(note) ?? []), shown(option)])
  }
  const count = (kind: string): string => `${[...(byKind.get(kind)?.values() ?? [])].flat().length} ${kind}`
  return page(
    "curl's options",
    `These are the ${curlOptions.length} options of curl 7.88, each with what it is in \`retrieve\`:
${kinds.map(([kind]) => count(kind)).join(', ')}. Lines to
start with are in [coming from curl](coming-from/curl.md).`,
    ...kinds.flatMap(([kind, meaning]) => section(kind, meaning, byKind.get(kind) ?? new Map())),
    `## Lines that end otherwise

The tests run some 650 lines by curl 7.88 and by \`retrieve\`, and compare octets, files and exit statuses. Beside what
the tables say, they differ only in these ways:

${Object.values<Difference>(lineDifferences)
  .filter(({ isAtOption }) => !isAtOption)
  .map(({ why }) => `- ${why}`)
  .join('\n')}`,
  )
}

/** What an option of curl may be here. */
const kinds = [
  ['same', "They exist with curl's meaning, or with the difference that is named."],
  ['other', 'Their names mean something else here.'],
  ['accepted', 'They are taken in silence and have no effect, since they ask for what happens anyway.'],
  ['refused', 'They are refused on purpose, in one sentence, before anything is contacted.'],
  ['not yet', 'They are missing, and the error says what to do instead.'],
] as const

/** The options of one kind: first those without a note, then a row for each note. */
function section(kind: string, meaning: string, byNote: ReadonlyMap<string, readonly string[]>): string[] {
  const plain = byNote.get('') ?? []
  const rows = [...byNote].filter(([note]) => note !== '').map(([note, names]) => [names.join(', '), note])
  return [
    `## ${kind[0]?.toUpperCase()}${kind.slice(1)}`,
    meaning,
    ...(plain.length === 0 ? [] : [wrapped(`Without a difference: ${plain.join(', ')}.`)]),
    table(['Option', 'Reason or difference'], rows),
  ]
}

function shown({ short, long }: CurlOption): string {
  return short === undefined ? `\`--${long}\`` : `\`-${short}\` (\`--${long}\`)`
}

/** An option's place here, and the reason. */
function statusOf({ long }: CurlOption): [kind: string, note: string] {
  const own = options.find((option) => option.long === long)
  const other = own === undefined ? undefined : others[own.long]
  if (other !== undefined) return ['other', other]
  if (own !== undefined) return ['same', differences[own.long] ?? '']
  const isNamed = (text: string): boolean => readNames(text).long === long
  for (const [kind, rows] of [
    ['accepted', accepted],
    ['refused', refused],
    ['not yet', notYet],
  ] as const) {
    const row = rows.find((each) => each.options.some(isNamed))
    if (row !== undefined) return [kind, row.why]
  }
  throw new Error(`--${long} of curl is in no table.`)
}
