import { knownCharset } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import { connecting, type GivenOptions, get, type OptionRow, sets, working } from './option.ts'
import { readOptionText } from './option-file.ts'

export type OutputOption =
  | 'output'
  | 'remote-name'
  | 'remote-name-all'
  | 'remote-header-name'
  | 'output-dir'
  | 'create-dirs'
  | 'clobber'
  | 'no-clobber'
  | 'no-remote-time'
  | 'head'
  | 'include'
  | 'dump-header'
  | 'charset'
  | 'write-out'
  | 'json'
  | 'verbose'
  | 'silent'
  | 'show-error'

export const outputOptions: readonly OptionRow<OutputOption>[] = [
  {
    long: 'output',
    sent: true,
    short: 'o',
    arg: 'FILE',
    help:
      'Write to FILE, which is FILE.part until complete; - is standard output, even for binary data. One per URL; ' +
      '#1 in FILE stands for the value of the first {a,b} or [1-9] in the URL',
    commands: get,
    example: 'retrieve -o page.html http://www.example.org/',
  },
  {
    long: 'remote-name',
    sent: true,
    short: 'O',
    help:
      'Write to a file named after the last part of the URL, or index.html; never overwrites, and of equal names in ' +
      'one command the second is NAME.1. One per URL',
    commands: get,
    example: 'retrieve -O ftp://ftp.example.org/pub/file.tar.gz',
  },
  {
    long: 'remote-name-all',
    sent: true,
    help: 'As -O for each URL without -o or -O',
    commands: get,
    example: 'retrieve --remote-name-all http://www.example.org/a.txt http://www.example.org/b.txt',
  },
  {
    long: 'remote-header-name',
    sent: false,
    short: 'J',
    help: 'With -O: use the file name that the server gives (Content-Disposition), if any; never overwrites',
    commands: get,
    example: 'retrieve -OJ http://www.example.org/download?id=7',
  },
  {
    long: 'output-dir',
    sent: true,
    arg: 'DIR',
    help: 'The directory for the files of -o, -O and --attachments',
    commands: get,
    example: 'retrieve --output-dir /tmp -O http://www.example.org/x.pdf',
  },
  {
    long: 'create-dirs',
    sent: false,
    help: 'Make the missing folders of -o and --output-dir; with --from, that of --output-dir is made anyhow',
    commands: get,
    example: 'retrieve --create-dirs -o a/b/page.html http://www.example.org/',
  },
  {
    long: 'clobber',
    sent: false,
    help: 'With -O: overwrite an existing file',
    commands: get,
    example: 'retrieve --clobber -O http://www.example.org/x.pdf',
  },
  {
    long: 'no-clobber',
    sent: false,
    help: 'If the name of -o or -O is taken, use the next free one of FILE.1, FILE.2 and so on',
    commands: get,
    example: 'retrieve --no-clobber -o page.html http://www.example.org/',
  },
  {
    long: 'no-remote-time',
    sent: false,
    help: 'Leave a file the time of its writing; otherwise it gets the date of the resource',
    commands: get,
    example: 'retrieve --no-remote-time -O http://www.example.org/x.pdf',
  },
  {
    long: 'head',
    ...sets('head', () => true),
    sent: true,
    short: 'I',
    help: 'Show no body: the header fields for HTTP and news articles, otherwise what is known, such as size and date',
    commands: get,
    example: 'retrieve -I http://www.example.org/',
  },
  {
    long: 'include',
    sent: false,
    short: 'i',
    help: 'Write the HTTP header sections before the body, those of redirects too',
    commands: get,
    example: 'retrieve -i http://www.example.org/',
  },
  {
    long: 'dump-header',
    sent: false,
    short: 'D',
    arg: 'FILE',
    help: 'Write all HTTP header sections, or the FTP replies, to FILE; - is standard output, % standard error',
    commands: get,
    example: 'retrieve -D head.txt -o page.html http://www.example.org/',
  },
  {
    long: 'charset',
    ...sets('charset', readCharset),
    sent: false,
    arg: 'NAME',
    help: 'The charset of text and names on the terminal; default: what the server or the text says, else a guess',
    commands: working,
    example: 'retrieve --charset koi8-r gopher://gopher.example.org/',
  },
  {
    long: 'write-out',
    sent: false,
    short: 'w',
    arg: 'FORMAT',
    help: "After each URL print FORMAT, or the text of @FILE, with curl's variables, such as %{http_code} and %{json}",
    commands: get,
    example: "retrieve -s -o page.html -w '%{http_code}\\n' http://www.example.org/",
  },
  {
    long: 'json',
    sent: false,
    help: 'Machine-readable output: one JSON object a line; with get, one for each URL, and the messages on standard error',
    commands: [
      'get',
      'explain',
      'ls',
      'extract',
      'check',
      'mirror',
      'journal',
      'queue',
      'schemes',
      'serve',
      'audit',
      'gateway',
    ],
    example: 'retrieve explain --json news:comp.lang.c',
    global: true,
  },
  {
    long: 'verbose',
    sent: false,
    short: 'v',
    help: 'Show on standard error what is done (*), sent (>) and received (<)',
    commands: connecting,
    example: 'retrieve -v gopher://gopher.example.org/',
    global: true,
  },
  {
    long: 'silent',
    sent: false,
    short: 's',
    help: 'Show no progress, no warnings and no errors',
    commands: connecting,
    example: 'retrieve -s http://www.example.org/',
    global: true,
  },
  {
    long: 'show-error',
    sent: false,
    short: 'S',
    help: 'Show errors even with -s',
    commands: connecting,
    example: 'retrieve -sS http://www.example.org/',
    global: true,
  },
]

/** The format of -w; null if it is not given. Throws `file-failed`. */
export function readWriteOut(line: GivenOptions<OutputOption>): string | null {
  const text = line.value('write-out')
  if (text?.startsWith('@') !== true) return text ?? null
  // As in curl, the lines of a file are joined; a line ends only at \n in the text.
  return readOptionText('-w', text.slice(1)).replace(/[\r\n]+/g, '')
}

/** The file of -D; null if it is not given. Throws `invalid-option`. */
export function readDumpHeader(line: GivenOptions<OutputOption>): string | null {
  const file = line.value('dump-header')
  if (file === '') throw usageError('--dump-header needs the name of a file, - for standard output or % for errors.')
  return file ?? null
}

/** The charset of --charset; null if it is not given. Throws `invalid-option`. */
function readCharset(name: string): string {
  if (knownCharset(name) !== null) return name
  throw usageError(
    `--charset needs the name of a charset, such as windows-1252 or koi8-r; not ${JSON.stringify(name)}.`,
  )
}
