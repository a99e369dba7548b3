import { get, network, type OptionRow } from './option.ts'

export type TransferOption =
  | 'range'
  | 'continue-at'
  | 'time-cond'
  | 'accept'
  | 'accept-language'
  | 'retry'
  | 'max-time'
  | 'connect-timeout'
  | 'speed-limit'
  | 'speed-time'
  | 'max-filesize'
  | 'max-redirs'
  | 'disable-epsv'
  | 'no-pipelining'

export const transferOptions: readonly OptionRow<TransferOption>[] = [
  {
    long: 'range',
    short: 'r',
    arg: 'A-B',
    help: 'Only the octets A to B, counted from 0; A- is the rest from A',
    commands: get,
    example: 'retrieve -r 0-99 http://www.example.org/big',
  },
  {
    long: 'continue-at',
    short: 'C',
    arg: 'OFFSET|-',
    help: 'Go on from OFFSET, or where the file ends (-), and append to it; what came stays on failure too',
    commands: get,
    example: 'retrieve -C - -o big.iso ftp://ftp.example.org/pub/big.iso',
  },
  {
    long: 'time-cond',
    short: 'z',
    arg: 'DATE|FILE',
    help: 'Only what is newer than DATE, or than FILE',
    commands: get,
    example: 'retrieve -z list.txt -o list.txt ftp://ftp.example.org/list.txt',
  },
  {
    long: 'accept',
    arg: 'TYPES',
    help: 'The media types that are wanted, as in HTTP; of Gopher+ the view that fits best comes',
    commands: network,
    example: "retrieve --accept 'application/postscript, text/plain;q=0.5' gopher://gopher.example.org/0/paper%09%09+",
  },
  {
    long: 'accept-language',
    arg: 'LANGS',
    help: 'The languages that are wanted, for HTTP and Gopher+',
    commands: network,
    example: "retrieve --accept-language 'de, en;q=0.5' http://www.example.org/",
  },
  {
    long: 'retry',
    arg: 'N',
    help: 'Try again up to N times, with growing waits, what fails for a cause that may pass; default 3',
    commands: network,
    example: 'retrieve --retry 10 -O http://www.example.org/big.iso',
  },
  {
    long: 'max-time',
    short: 'm',
    arg: 'SECONDS',
    help: 'For each retrieval as a whole; default, and 0: no limit',
    commands: network,
    example: 'retrieve -m 60 http://www.example.org/',
  },
  {
    long: 'connect-timeout',
    arg: 'SECONDS',
    help: 'For name lookup and connecting; default, and 0: 30',
    commands: network,
    example: 'retrieve --connect-timeout 2.5 ftp://ftp.example.org/x',
  },
  {
    long: 'speed-limit',
    short: 'Y',
    arg: 'BYTES',
    help: 'Give up a body that comes slower than that many octets a second for --speed-time; default, and 0: no such rule',
    commands: network,
    example: 'retrieve -Y 1000 -y 20 -O http://www.example.org/big.iso',
  },
  {
    long: 'speed-time',
    short: 'y',
    arg: 'SECONDS',
    help: 'How long a body may come slower than --speed-limit; default 30',
    commands: network,
    example: 'retrieve -y 60 -O http://www.example.org/big.iso',
  },
  {
    long: 'max-filesize',
    arg: 'BYTES',
    help: 'Stop beyond that many octets; k, M and G may follow the number',
    commands: network,
    example: 'retrieve --max-filesize 10M http://www.example.org/',
  },
  {
    long: 'max-redirs',
    arg: 'NUM',
    help: 'Redirects that are followed; default 20',
    commands: network,
    example: 'retrieve --max-redirs 0 http://www.example.org/',
  },
  {
    long: 'disable-epsv',
    help: 'Ask FTP servers for data connections by PASV at once, not by EPSV first',
    commands: network,
    example: 'retrieve --disable-epsv ftp://ftp.example.org/x',
  },
  {
    long: 'no-pipelining',
    help: 'Send FTP servers one command at a time, each after the reply to the one before',
    commands: network,
    example: 'retrieve --no-pipelining ftp://ftp.example.org/x',
  },
]
