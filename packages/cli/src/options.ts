/**
 * The one table of what can be typed. The parser, --help, the man page and the completions are made from it.
 * Names are curl's wherever curl has one.
 */

export const commandNames = ['get', 'explain', 'ls', 'extract', 'schemes', 'serve', 'demo'] as const
export type CommandName = (typeof commandNames)[number]

export interface CommandSpec {
  readonly operands: string
  readonly help: string
  readonly example: string
}

export const commandSpecs: Readonly<Record<CommandName, CommandSpec>> = {
  get: {
    operands: 'URL...',
    help: 'Retrieve; the default command',
    example: 'retrieve -o motd ftp://ftp.example.org/%2Fetc/motd',
  },
  explain: {
    operands: 'URL...',
    help: 'Say what a URL means, what would be sent, and what is dangerous about it; contacts nothing',
    example: "retrieve explain 'gopher://h.example/7/search%09two%20words'",
  },
  ls: {
    operands: 'URL...',
    help: 'List a directory, menu or newsgroup as a table',
    example: 'retrieve ls --json ftp://ftp.example.org/pub/',
  },
  extract: {
    operands: '[FILE|-]',
    help: 'Print the URLs in running text, one a line; of standard input where no FILE is named',
    example: 'retrieve extract mail.txt',
  },
  schemes: { operands: '', help: 'List the URL schemes that are known', example: 'retrieve schemes' },
  serve: {
    operands: '[PROTOCOL...]',
    help: 'Run local test servers: http, ftp, gopher, nntp, telnet; all of them if none is named',
    example: 'retrieve serve http ftp --http-port 8080',
  },
  demo: {
    operands: '',
    help: 'Start the local test servers and retrieve something from each',
    example: 'retrieve demo',
  },
}

/** In the order of --help. */
export const categories = [
  'Output',
  'Transfer',
  'HTTP',
  'Security',
  'Login',
  'Proxies',
  'Resolution',
  'Servers',
  'General',
] as const
type Category = (typeof categories)[number]

export interface OptionSpec<Name extends string = string> {
  readonly long: Name
  readonly short?: string
  /** What its argument is; without one it is a switch. */
  readonly arg?: string
  readonly help: string
  readonly category: Category
  /** Those it belongs to; absent: all. */
  readonly commands?: readonly CommandName[]
  readonly example: string
}

export type OptionName =
  | 'output'
  | 'remote-name'
  | 'remote-header-name'
  | 'output-dir'
  | 'head'
  | 'include'
  | 'json'
  | 'verbose'
  | 'silent'
  | 'show-error'
  | 'range'
  | 'continue-at'
  | 'time-cond'
  | 'compressed'
  | 'cache'
  | 'http1.1'
  | 'etag-compare'
  | 'etag-save'
  | 'split'
  | 'retry'
  | 'header'
  | 'user-agent'
  | 'referer'
  | 'no-fail'
  | 'disable-epsv'
  | 'no-pipelining'
  | 'max-time'
  | 'connect-timeout'
  | 'max-filesize'
  | 'max-redirs'
  | 'allow'
  | 'allow-port'
  | 'allow-downgrade'
  | 'allow-inward'
  | 'public-only'
  | 'cacert'
  | 'cert'
  | 'key'
  | 'pass'
  | 'insecure'
  | 'ssl-reqd'
  | 'user'
  | 'oauth2-bearer'
  | 'ftp-account'
  | 'anonymous-password'
  | 'proxy'
  | 'socks5'
  | 'socks5-hostname'
  | 'proxytunnel'
  | 'proxy-user'
  | 'noproxy'
  | 'proxy-cacert'
  | 'resolve'
  | 'base'
  | 'news-server'
  | ServerPort
  | 'fault'
  | 'help'
  | 'version'

type ServerPort = 'http-port' | 'ftp-port' | 'gopher-port' | 'nntp-port' | 'telnet-port'

const get: readonly CommandName[] = ['get']
const network: readonly CommandName[] = ['get', 'ls']
const urls: readonly CommandName[] = ['get', 'ls', 'explain']

export const options: readonly OptionSpec<OptionName>[] = [
  {
    long: 'output',
    short: 'o',
    arg: 'FILE',
    help: 'Write to FILE, which appears only once it is whole; - is standard output, as it is. Once for each URL',
    category: 'Output',
    commands: get,
    example: 'retrieve -o page.html http://www.example.org/',
  },
  {
    long: 'remote-name',
    short: 'O',
    help: 'Write to a file named after the end of the URL; never overwrites',
    category: 'Output',
    commands: get,
    example: 'retrieve -O ftp://ftp.example.org/pub/file.tar.gz',
  },
  {
    long: 'remote-header-name',
    short: 'J',
    help: 'With -O: the name that the server gives (Content-Disposition), where it gives one; never overwrites',
    category: 'Output',
    commands: get,
    example: 'retrieve -OJ http://www.example.org/download?id=7',
  },
  {
    long: 'output-dir',
    arg: 'DIR',
    help: 'Where -o and -O put their files',
    category: 'Output',
    commands: get,
    example: 'retrieve --output-dir /tmp -O http://www.example.org/x.pdf',
  },
  {
    long: 'head',
    short: 'I',
    help: 'What is known of the resource, without its body: of HTTP the header fields, else length and date',
    category: 'Output',
    commands: get,
    example: 'retrieve -I http://www.example.org/',
  },
  {
    long: 'include',
    short: 'i',
    help: 'The header fields of HTTP before the body',
    category: 'Output',
    commands: get,
    example: 'retrieve -i http://www.example.org/',
  },
  {
    long: 'json',
    help: 'Machine-readable: one JSON object a line; of get, the messages on standard error',
    category: 'Output',
    commands: ['get', 'explain', 'ls', 'extract', 'schemes', 'serve'],
    example: 'retrieve explain --json news:comp.lang.c',
  },
  {
    long: 'verbose',
    short: 'v',
    help: 'Show on standard error what is meant (*), sent (>) and received (<)',
    category: 'Output',
    commands: network,
    example: 'retrieve -v gopher://gopher.example.org/',
  },
  {
    long: 'silent',
    short: 's',
    help: 'No progress, no warnings, no errors',
    category: 'Output',
    commands: network,
    example: 'retrieve -s http://www.example.org/',
  },
  {
    long: 'show-error',
    short: 'S',
    help: 'Errors also with -s',
    category: 'Output',
    commands: network,
    example: 'retrieve -sS http://www.example.org/',
  },
  {
    long: 'range',
    short: 'r',
    arg: 'A-B',
    help: 'Only the octets A to B, counted from 0; A- is the rest from A',
    category: 'Transfer',
    commands: get,
    example: 'retrieve -r 0-99 http://www.example.org/big',
  },
  {
    long: 'continue-at',
    short: 'C',
    arg: 'OFFSET|-',
    help: 'Go on from OFFSET, or where the file ends (-), and append to it; what came stays on failure too',
    category: 'Transfer',
    commands: get,
    example: 'retrieve -C - -o big.iso ftp://ftp.example.org/pub/big.iso',
  },
  {
    long: 'time-cond',
    short: 'z',
    arg: 'DATE|FILE',
    help: 'Only what is newer than DATE, or than FILE',
    category: 'Transfer',
    commands: get,
    example: 'retrieve -z list.txt -o list.txt ftp://ftp.example.org/list.txt',
  },
  {
    long: 'compressed',
    help: 'Have bodies compressed on their way, and decode them; without -r and -C',
    category: 'HTTP',
    commands: network,
    example: 'retrieve --compressed -o page.html http://www.example.org/',
  },
  {
    long: 'http1.1',
    help: 'Do not offer HTTP/2 to servers within TLS',
    category: 'HTTP',
    commands: network,
    example: 'retrieve --http1.1 https://www.example.org/',
  },
  {
    long: 'cache',
    arg: 'DIR',
    help: 'Keep what comes in the folder DIR, and use it from there for as long as the server lets it',
    category: 'HTTP',
    commands: network,
    example: 'retrieve --cache ~/.cache/retrieve http://www.example.org/',
  },
  {
    long: 'etag-compare',
    arg: 'FILE',
    help: 'Only what no longer has the entity tag in FILE; one URL. A FILE that is missing or empty is no condition',
    category: 'HTTP',
    commands: get,
    example: 'retrieve --etag-compare x.etag --etag-save x.etag -o x http://www.example.org/x',
  },
  {
    long: 'etag-save',
    arg: 'FILE',
    help: 'Write the entity tag of what came whole to FILE; one URL',
    category: 'HTTP',
    commands: get,
    example: 'retrieve --etag-save x.etag -o x http://www.example.org/x',
  },
  {
    long: 'split',
    arg: 'N',
    help: 'Up to N connections (16 at most) for one large body, where the server has ranges; without -r, -C, -I',
    category: 'HTTP',
    commands: get,
    example: 'retrieve --split 4 -O http://www.example.org/big.iso',
  },
  {
    long: 'retry',
    arg: 'N',
    help: 'Try again up to N times, with growing waits, what fails for a cause that may pass; default 3',
    category: 'Transfer',
    commands: network,
    example: 'retrieve --retry 10 -O http://www.example.org/big.iso',
  },
  {
    long: 'max-time',
    short: 'm',
    arg: 'SECONDS',
    help: 'For each retrieval as a whole; default, and 0: no limit',
    category: 'Transfer',
    commands: network,
    example: 'retrieve -m 60 http://www.example.org/',
  },
  {
    long: 'connect-timeout',
    arg: 'SECONDS',
    help: 'For name lookup and connecting; default, and 0: 30',
    category: 'Transfer',
    commands: network,
    example: 'retrieve --connect-timeout 2.5 ftp://ftp.example.org/x',
  },
  {
    long: 'max-filesize',
    arg: 'BYTES',
    help: 'Stop beyond that many octets; k, M and G may follow the number',
    category: 'Transfer',
    commands: network,
    example: 'retrieve --max-filesize 10M http://www.example.org/',
  },
  {
    long: 'max-redirs',
    arg: 'NUM',
    help: 'Redirects that are followed; default 20',
    category: 'Transfer',
    commands: network,
    example: 'retrieve --max-redirs 0 http://www.example.org/',
  },
  {
    long: 'header',
    short: 'H',
    arg: 'NAME:VALUE',
    help: 'A header field of the request; "NAME;" has no value. Repeatable; not for other hosts after a redirect',
    category: 'HTTP',
    commands: network,
    example: "retrieve -H 'Accept: application/json' http://www.example.org/",
  },
  {
    long: 'user-agent',
    short: 'A',
    arg: 'NAME',
    help: 'Who is asking; default Retriever/0.1',
    category: 'HTTP',
    commands: network,
    example: "retrieve -A 'Mozilla/5.0' http://www.example.org/",
  },
  {
    long: 'referer',
    short: 'e',
    arg: 'URL',
    help: 'Where the URL was found',
    category: 'HTTP',
    commands: network,
    example: 'retrieve -e http://www.example.org/ http://www.example.org/x',
  },
  {
    long: 'no-fail',
    help: 'A status of 400 and above is no error: what the server says comes, with -i and -I too',
    category: 'HTTP',
    commands: get,
    example: 'retrieve --no-fail http://www.example.org/missing',
  },
  {
    long: 'allow',
    arg: 'CODE',
    help: 'Let a danger pass: a finding code that explain shows, such as foreign-port',
    category: 'Security',
    commands: network,
    example: 'retrieve --allow foreign-port http://h.example:6000/',
  },
  {
    long: 'allow-port',
    arg: 'N',
    help: 'Connect to port N although it belongs to another protocol',
    category: 'Security',
    commands: network,
    example: 'retrieve --allow-port 6000 http://h.example:6000/',
  },
  {
    long: 'allow-downgrade',
    help: 'Follow a redirect from https to http',
    category: 'Security',
    commands: network,
    example: 'retrieve --allow-downgrade https://www.example.org/',
  },
  {
    long: 'allow-inward',
    help: 'Follow a redirect from elsewhere to this machine',
    category: 'Security',
    commands: network,
    example: 'retrieve --allow-inward http://www.example.org/',
  },
  {
    long: 'public-only',
    help: 'Connect to public addresses alone, and read no files: for programs that retrieve what others name',
    category: 'Security',
    commands: network,
    example: 'retrieve --public-only http://www.example.org/',
  },
  {
    long: 'cacert',
    arg: 'FILE',
    help: 'Trust the certificates in FILE (PEM), not the built-in ones',
    category: 'Security',
    commands: network,
    example: 'retrieve --cacert ca.pem https://h.example/',
  },
  {
    long: 'cert',
    short: 'E',
    arg: 'FILE[:PASSWORD]',
    help: 'Show servers that ask the certificate in FILE (PEM), which may hold its key too; PASSWORD opens the key',
    category: 'Security',
    commands: network,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'key',
    arg: 'FILE',
    help: 'The private key of --cert (PEM)',
    category: 'Security',
    commands: network,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'pass',
    arg: 'PHRASE',
    help: 'Opens the private key',
    category: 'Security',
    commands: network,
    example: 'retrieve --cert me.pem --pass secret https://h.example/',
  },
  {
    long: 'insecure',
    short: 'k',
    help: 'Do not verify certificates: anybody may answer',
    category: 'Security',
    commands: network,
    example: 'retrieve -k https://localhost:8443/',
  },
  {
    long: 'ssl-reqd',
    help: 'Require TLS of FTP servers, by AUTH TLS: ftp: means what ftpes: does',
    category: 'Security',
    commands: urls,
    example: 'retrieve --ssl-reqd ftp://ftp.example.org/x',
  },
  {
    long: 'disable-epsv',
    help: 'Ask FTP servers for data connections by PASV at once, not by EPSV first',
    category: 'Transfer',
    commands: network,
    example: 'retrieve --disable-epsv ftp://ftp.example.org/x',
  },
  {
    long: 'no-pipelining',
    help: 'Send FTP servers one command at a time, each after the reply to the one before',
    category: 'Transfer',
    commands: network,
    example: 'retrieve --no-pipelining ftp://ftp.example.org/x',
  },
  {
    long: 'user',
    short: 'u',
    arg: 'USER[:PASSWORD]',
    help: 'For the host of the URL, if it asks; without PASSWORD you are asked for it',
    category: 'Login',
    commands: network,
    example: 'retrieve -u alice ftp://ftp.example.org/%2Fhome/alice/x',
  },
  {
    long: 'oauth2-bearer',
    arg: 'TOKEN',
    help: 'For HTTP servers that know tokens (RFC 6750); not for other hosts after a redirect',
    category: 'Login',
    commands: network,
    example: 'retrieve --oauth2-bearer mF_9.B5f-4.1JqM https://www.example.org/',
  },
  {
    long: 'ftp-account',
    arg: 'DATA',
    help: 'For FTP servers that want an account too; else you are asked for it',
    category: 'Login',
    commands: network,
    example: 'retrieve -u alice --ftp-account sales ftp://ftp.example.org/x',
  },
  {
    long: 'anonymous-password',
    arg: 'WORD',
    help: 'Of anonymous FTP logins; default anonymous@',
    category: 'Login',
    commands: urls,
    example: 'retrieve --anonymous-password me@example.org ftp://ftp.example.org/',
  },
  {
    long: 'proxy',
    short: 'x',
    arg: '[PROTOCOL://]HOST[:PORT]',
    help: 'Go through this proxy: http (if none is named), https, socks5 or socks5h; port 1080, of https 443. "" is none, whatever $ftp_proxy, $all_proxy and their like say',
    category: 'Proxies',
    commands: network,
    example: 'retrieve -x http://proxy.example:3128 ftp://ftp.example.org/pub/file',
  },
  {
    long: 'socks5',
    arg: 'HOST[:PORT]',
    help: 'Go through this SOCKS 5 proxy; names are looked up here',
    category: 'Proxies',
    commands: network,
    example: 'retrieve --socks5 localhost:1080 ftp://ftp.example.org/pub/file',
  },
  {
    long: 'socks5-hostname',
    arg: 'HOST[:PORT]',
    help: 'Go through this SOCKS 5 proxy, which looks names up itself',
    category: 'Proxies',
    commands: network,
    example: 'retrieve --socks5-hostname localhost:9050 gopher://gopher.example.org/',
  },
  {
    long: 'proxytunnel',
    short: 'p',
    help: 'Have an HTTP proxy connect on to the server, also for http and ftp: real FTP, real listings',
    category: 'Proxies',
    commands: network,
    example: 'retrieve -p -x proxy.example:3128 ftp://ftp.example.org/pub/',
  },
  {
    long: 'proxy-user',
    short: 'U',
    arg: 'USER[:PASSWORD]',
    help: 'For the proxy; without PASSWORD you are asked for it',
    category: 'Proxies',
    commands: network,
    example: 'retrieve -U alice -x proxy.example:3128 http://www.example.org/',
  },
  {
    long: 'noproxy',
    arg: 'LIST',
    help: 'Hosts, domains and networks to go to without a proxy, with commas between; * is all of them. Else $no_proxy',
    category: 'Proxies',
    commands: network,
    example: 'retrieve --noproxy localhost,example.org,10.0.0.0/8 http://www.example.org/',
  },
  {
    long: 'proxy-cacert',
    arg: 'FILE',
    help: 'Of an https proxy, trust the certificates in FILE (PEM); else what --cacert says',
    category: 'Proxies',
    commands: network,
    example: 'retrieve --proxy-cacert ca.pem -x https://proxy.example http://www.example.org/',
  },
  {
    long: 'resolve',
    arg: 'HOST:PORT:ADDRESS[,ADDRESS]',
    help: 'For HOST and PORT, go to ADDRESS; the name in TLS and in the request stays',
    category: 'Resolution',
    commands: network,
    example: 'retrieve --resolve www.example.org:443:127.0.0.1 https://www.example.org/',
  },
  {
    long: 'base',
    arg: 'URL',
    help: 'What relative references are relative to',
    category: 'Resolution',
    commands: urls,
    example: 'retrieve --base http://www.example.org/a/ ../b',
  },
  {
    long: 'news-server',
    arg: 'HOST',
    help: 'For news URLs, which name none; else $NNTPSERVER, else /etc/news/server',
    category: 'Resolution',
    commands: urls,
    example: 'retrieve --news-server news.example.org news:comp.lang.c',
  },
  ...(['http', 'ftp', 'gopher', 'nntp', 'telnet'] as const).map(
    (protocol): OptionSpec<OptionName> => ({
      long: `${protocol}-port`,
      arg: 'N',
      help: `Port of the ${protocol} server; default: a free one`,
      category: 'Servers',
      commands: ['serve'],
      example: `retrieve serve ${protocol} --${protocol}-port 8123`,
    }),
  ),
  {
    long: 'fault',
    arg: 'NAME=VALUE',
    help: 'Make the servers go wrong: delay=100, chunking=bytes, resetAfter=10, shortBody=1, stall=greeting',
    category: 'Servers',
    commands: ['serve'],
    example: 'retrieve serve ftp --fault chunking=bytes',
  },
  { long: 'help', short: 'h', help: 'This help', category: 'General', example: 'retrieve explain --help' },
  { long: 'version', short: 'V', help: 'The version', category: 'General', example: 'retrieve --version' },
]

/** Whether an option belongs to a command. */
export function applies(option: OptionSpec, command: CommandName): boolean {
  return option.commands?.includes(command) ?? true
}
