/** The commands, which are the first word of a command line. */
export const commandNames = [
  'get',
  'explain',
  'ls',
  'open',
  'extract',
  'check',
  'mirror',
  'journal',
  'queue',
  'schemes',
  'serve',
  'gateway',
  'audit',
  'demo',
  'completions',
] as const
export type CommandName = (typeof commandNames)[number]

export interface CommandSpec {
  readonly operands: string
  readonly help: string
  readonly example: string
  /** The command whose help has the options of retrievals that both take. */
  readonly sharesWith?: CommandName
}

export const commandSpecs: Readonly<Record<CommandName, CommandSpec>> = {
  get: {
    operands: 'URL...',
    help: 'Retrieve URLs; the default command',
    example: 'retrieve -o motd ftp://ftp.example.org/%2Fetc/motd',
  },
  explain: {
    operands: 'URL...',
    help: 'Say what a URL means, what would be sent, and what is dangerous about it; contacts nothing',
    example: "retrieve explain 'gopher://h.example/7/search%09two%20words'",
  },
  ls: {
    operands: 'URL...',
    help: 'List a directory, menu or newsgroup as a table, or the URLs in a web archive of this machine (FILE.warc.gz)',
    example: 'retrieve ls --json ftp://ftp.example.org/pub/',
  },
  open: {
    operands: '[N...|URL...]',
    help:
      'Retrieve entry N of the last page or listing; without N, show that page again; open a URL with the program of ' +
      'this system for it, as a desktop does (--handoff)',
    example: 'retrieve open 3',
  },
  extract: {
    operands: '[FILE|-]',
    help: 'Print the URLs in a text, one a line; without FILE, those in standard input',
    example: 'retrieve extract mail.txt',
  },
  check: {
    operands: 'FILE|URL...',
    help:
      'Say whether links are alive: those of a text or HTML file, of a list (- is standard input), or a URL and the ' +
      'links of its page; exit status 0 only if all are',
    example: 'retrieve check links.txt',
  },
  mirror: {
    operands: 'URL DIR',
    help: 'Bring a directory tree to disk, and keep it up to date: unchanged files do not come again',
    example: "retrieve mirror --include-path '*.txt' ftp://ftp.example.org/pub/ pub",
  },
  journal: {
    operands: 'FILE',
    help: 'Say what the journal of a list has: what is done, what failed and why, by host, how fast, and what is left',
    example: 'retrieve journal urls.journal',
  },
  queue: {
    operands: 'add|work|status|failures|retry|pause|resume|cancel|remove [FILE|-]',
    help:
      'Retrieve a list by many workers, on one machine or many: add puts URLs into a queue in Redis, work retrieves ' +
      'them, status says how far it is, failures what failed, retry tries that again, pause stops workers until ' +
      'resume, cancel drops what is left, and remove the whole queue',
    sharesWith: 'ls',
    example: 'retrieve queue work --store files',
  },
  schemes: { operands: '', help: 'List the URL schemes that are known', example: 'retrieve schemes' },
  serve: {
    operands: '[DIR] [PROTOCOL...] [-- COMMAND [ARGUMENT...]]',
    help:
      'Serve the files in DIR on loopback, by http, ftp, gopher and nfs; without DIR, run test servers of the PROTOCOLs, of ' +
      'all if none is named, such as http, nntp, ldap, imap. With COMMAND, run it beside them, and stop when it ends: its ' +
      'variables RETRIEVE_HTTP_URL, RETRIEVE_FTP_URL, ... tell where they are',
    example: 'retrieve serve public http --http-port 8000',
  },
  gateway: {
    operands: '',
    help:
      'Show every URL, such as ftp, gopher, gemini, news and wais, as pages in any browser, and be an HTTP proxy for ' +
      'curl -x, wget, lynx, w3m and whatever knows one (ftp_proxy, gopher_proxy, ...); on loopback, until Ctrl-C',
    example: 'retrieve gateway --open',
  },
  audit: {
    operands: '-- COMMAND [ARGUMENT...]',
    help:
      'Run a client, such as curl or your own, against hostile servers on loopback, once for each of some 600 scripts, ' +
      'and judge it by what is seen from outside. COMMAND has {url}, and {file}, {dir} or {ca} (the certificate of the ' +
      'servers) where it takes them; exit status 0 only if it fails no script',
    example: 'retrieve audit -- curl -sSfL -m 5 --cacert {ca} -o {file} {url}',
  },
  demo: {
    operands: '',
    help: 'Show three things beside local servers: a file, a transfer that goes on, and a refusal',
    example: 'retrieve demo',
  },
  completions: {
    operands: 'bash|zsh|fish',
    help: 'Print the completions for a shell, to be loaded by its startup file',
    example: 'source <(retrieve completions bash)',
  },
}
