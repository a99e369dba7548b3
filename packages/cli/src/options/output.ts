import { get, network, type OptionRow } from './option.ts'

export type OutputOption =
  | 'output'
  | 'remote-name'
  | 'remote-header-name'
  | 'output-dir'
  | 'head'
  | 'include'
  | 'charset'
  | 'json'
  | 'verbose'
  | 'silent'
  | 'show-error'

export const outputOptions: readonly OptionRow<OutputOption>[] = [
  {
    long: 'output',
    short: 'o',
    arg: 'FILE',
    help: 'Write to FILE, which is FILE.part until it is whole; - is standard output, as it is. Once for each URL',
    commands: get,
    example: 'retrieve -o page.html http://www.example.org/',
  },
  {
    long: 'remote-name',
    short: 'O',
    help: 'Write to a file named after the end of the URL; never overwrites',
    commands: get,
    example: 'retrieve -O ftp://ftp.example.org/pub/file.tar.gz',
  },
  {
    long: 'remote-header-name',
    short: 'J',
    help: 'With -O: the name that the server gives (Content-Disposition), where it gives one; never overwrites',
    commands: get,
    example: 'retrieve -OJ http://www.example.org/download?id=7',
  },
  {
    long: 'output-dir',
    arg: 'DIR',
    help: 'Where -o and -O put their files',
    commands: get,
    example: 'retrieve --output-dir /tmp -O http://www.example.org/x.pdf',
  },
  {
    long: 'head',
    short: 'I',
    help: 'What is known of the resource, without its body: of HTTP and of news articles the header fields, else length and date',
    commands: get,
    example: 'retrieve -I http://www.example.org/',
  },
  {
    long: 'include',
    short: 'i',
    help: 'The header fields of HTTP before the body',
    commands: get,
    example: 'retrieve -i http://www.example.org/',
  },
  {
    long: 'charset',
    arg: 'NAME',
    help: 'The charset of text and names, for the terminal; default: what the server or the text says, else a guess',
    commands: network,
    example: 'retrieve --charset koi8-r gopher://gopher.example.org/',
  },
  {
    long: 'json',
    help: 'Machine-readable: one JSON object a line; of get, the messages on standard error',
    commands: ['get', 'explain', 'ls', 'extract', 'schemes', 'serve'],
    example: 'retrieve explain --json news:comp.lang.c',
  },
  {
    long: 'verbose',
    short: 'v',
    help: 'Show on standard error what is meant (*), sent (>) and received (<)',
    commands: network,
    example: 'retrieve -v gopher://gopher.example.org/',
  },
  {
    long: 'silent',
    short: 's',
    help: 'No progress, no warnings, no errors',
    commands: network,
    example: 'retrieve -s http://www.example.org/',
  },
  {
    long: 'show-error',
    short: 'S',
    help: 'Errors also with -s',
    commands: network,
    example: 'retrieve -sS http://www.example.org/',
  },
]
