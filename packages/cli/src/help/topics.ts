/** The texts that no table gives: the pages of `retrieve help TOPIC`, which are also sections of the man page. */
import { errorCodes } from '@retriever/core'

export interface Topic {
  readonly name: string
  /** The heading in the man page. */
  readonly title: string
  /** The line in the list of topics. */
  readonly help: string
  readonly before: readonly string[]
  readonly rows: readonly (readonly [name: string, text: string])[]
  readonly after: readonly string[]
}

/** Words that people look up although Retriever cannot do what they mean. */
const uploadWords: ReadonlySet<string> = new Set(['delete', 'patch', 'post', 'put', 'upload'])

/** The answer to `retrieve help post`; undefined for other words. */
export function helpOnUploads(word: string): string | undefined {
  return uploadWords.has(word) ? 'Retriever sends nothing (GET and HEAD only); keep curl for POST.' : undefined
}

const exitStatus: Topic = {
  name: 'exit-status',
  title: 'Exit status',
  help: 'The numbers that scripts see, which are those of curl',
  before: ['With several URLs, the exit status is that of the first one that failed.'],
  rows: [
    ['0', 'Success; also if -z or --etag-compare found nothing newer'],
    [
      '1',
      'The scheme is unknown, cannot be retrieved or is left out by --proto, or the URL names a service for a person',
    ],
    ['2', 'A wrong option or argument, or a form that needs answers'],
    ['3', 'The URL is malformed'],
    ['6', 'The host has no address, or no News server is configured'],
    ['7', 'No connection'],
    ['8', 'The server broke its protocol, or refused for a reason without a number of its own'],
    ['9', 'Refused before any connection (retrieve explain says why), or the server denies access'],
    ['18', 'The transfer ended too early'],
    ['22', 'An HTTP status of 400 and above'],
    ['23', 'The output cannot be written'],
    ['28', 'A time limit has passed'],
    ['32', 'The body has another checksum than --checksum says; nothing was saved'],
    ['33', 'The server cannot send this range'],
    ['35', 'No TLS session'],
    ['36', 'The file is longer than the resource: -C leaves it as it is'],
    ['37', 'A local file cannot be read'],
    ['45', 'A local address, interface or port cannot be used'],
    ['47', 'Too many redirects'],
    ['56', 'The connection broke'],
    ['59', 'Ciphers or curves that TLS does not have'],
    ['60', 'The certificate is not trusted'],
    ['63', 'The body exceeds a limit'],
    ['67', 'A login is required, or was refused'],
    ['78', 'Not found; for HTTP it is 22'],
    ['82', 'A list of revoked certificates cannot be read'],
    ['90', 'The key of the server is not the pinned one'],
    ['130', 'Interrupted by Ctrl-C; 129 and 143 for SIGHUP and SIGTERM'],
  ],
  after: [
    'retrieve help explains one of these numbers, or the code that --json has for an error: help 78, help partial.',
  ],
}

const files: Topic = {
  name: 'files',
  title: 'Files',
  help: 'Files that the command reads and writes',
  before: [],
  rows: [
    ['NAME.part', 'A file that is not complete yet; the command renames it NAME at the end. -C - continues it'],
    ['~/.config/retrieve/config', 'Options for every run, as -K reads them; -q leaves them out'],
    ['~/.local/state/retrieve', 'The URLs of the last pages, for open; the certificates of Gemini servers'],
    ['~/.netrc', 'Logins by host, for -n'],
    ['.cache in dist/ of the package', 'Compiled code of the command, which makes it start faster; it can be deleted'],
    ['/etc/ldap/ldap.conf, ~/.ldaprc', 'Their URI is the server for LDAP URLs that name none, if $LDAPURI is not set'],
    ['/etc/news/server', 'The News server, if neither --news-server nor $NNTPSERVER names one'],
  ],
  after: [],
}

const environment: Topic = {
  name: 'environment',
  title: 'Environment',
  help: 'Variables that change what the command does',
  before: [],
  rows: [
    [
      'http_proxy, https_proxy, ftp_proxy, ...',
      'The proxy for URLs of this scheme, as for -x; all but http_proxy also in upper case, as FTP_PROXY',
    ],
    ['all_proxy, ALL_PROXY', 'The proxy for all schemes that have none of their own'],
    ['no_proxy, NO_PROXY', 'Hosts, domains and networks to reach without a proxy, as for --noproxy'],
    ['CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR', 'The certificates to trust, if --cacert does not name them'],
    ['SSH_AUTH_SOCK', 'The agent that has the keys for sftp URLs'],
    ['PATH, Path, SystemRoot', 'The folders in which --handoff and open find programs; the last two on Windows'],
    ['NNTPSERVER', 'The News server, as for --news-server'],
    ['LDAPURI', 'The server for LDAP URLs that name none: ldap://, ldaps:// or ldapi:// and its name'],
    [
      'LDAPCONF, LDAPRC, LDAPNOINIT',
      'Further files that name this server, as in ldap.conf(5); LDAPNOINIT: none is read',
    ],
    ['NETRC', 'The file of logins for -n, in place of ~/.netrc'],
    ['XDG_CONFIG_HOME, HOME', 'Where the configuration file and ~/.netrc are looked for'],
    ['RETRIEVE_REDIS', 'The Redis of queue, with its login; without it, redis://127.0.0.1:6379'],
    ['RETRIEVE_GATEWAY_TOKEN', 'The password that the gateway wants of its users'],
    ['XDG_STATE_HOME', 'The folder for what open and Gemini remember; default ~/.local/state'],
    ['NO_COLOR', 'Not empty: no colours'],
    ['FORCE_COLOR, CLICOLOR_FORCE', 'Not 0: colours, also in a pipe'],
    ['CLICOLOR', '0: no colours'],
    ['TERM', 'dumb: no colours, no progress line and no pager'],
    ['RETRIEVE_PAGER, PAGER', 'The pager for long listings and pages; default less, or more; empty or cat: none'],
    ['LESS', 'The options of less; default FRX'],
  ],
  after: [],
}

/** The help on an exit status, as `78`, or on the code of an error, as `not-found`; undefined for other words. */
export function helpOnFailure(word: string): string | undefined {
  const codes = Object.entries(errorCodes).map(([code, { exit }]) => ({ code, status: String(exit) }))
  const named = codes.find(({ code }) => code === word)
  const status = named?.status ?? word
  const meaning = exitStatus.rows.find(([number]) => number === status)?.[1]
  if (meaning === undefined) return undefined
  if (named !== undefined) return `The code ${word} has exit status ${status}: ${meaning}.`
  const ofStatus = codes.filter((each) => each.status === status).map(({ code }) => code)
  return `Exit status ${status}: ${meaning}.${ofStatus.length === 0 ? '' : ` In --json: ${ofStatus.join(', ')}.`}`
}

export const topics: readonly Topic[] = [exitStatus, files, environment]
