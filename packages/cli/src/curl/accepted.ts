import type { OptionName } from '../options/index.ts'

/** Options of curl that the command accepts without a word. */
export interface AcceptedOptions {
  /** Why they have no effect: the end of "It has no effect: ...". */
  readonly why: string
  /** The options as curl's help writes them: `-L, --location`, `--keepalive-time SECONDS`. */
  readonly options: readonly string[]
  /** Matches values that ask for what happens anyway; absent if all do. */
  readonly values?: RegExp
  /** The sentence for a value that does not match. */
  readonly otherwise?: string
  /** The switches of Retriever that some of the values mean. */
  readonly means?: Readonly<Record<string, OptionName>>
}

export const accepted: readonly AcceptedOptions[] = [
  { why: 'redirects are followed anyway', options: ['-L, --location'] },
  { why: 'a status of 400 and above is an error anyway', options: ['-f, --fail'] },
  { why: 'a file gets the date of the resource anyway', options: ['-R, --remote-time'] },
  { why: 'connections are opened at once anyway', options: ['--parallel-immediate'] },
  { why: 'output is written as it comes anyway', options: ['-N, --no-buffer'] },
  {
    why: 'progress is one line, and only on a terminal',
    options: ['-#, --progress-bar', '--no-progress-meter', '--styled-output'],
  },
  { why: "the answer of the proxy to CONNECT is not part of -i's output", options: ['--suppress-connect-headers'] },
  {
    why: 'GET is sent anyway; -I sends HEAD',
    options: ['-X, --request METHOD'],
    values: /^(?:GET|HEAD)$/,
    otherwise: 'Only GET is possible, and HEAD by -I: Retriever sends no data.',
    means: { HEAD: 'head' },
  },
  { why: 'a login that is given is sent by Basic anyway', options: ['--basic'] },
  {
    why: 'the strongest login that the proxy offers is used anyway',
    options: ['--proxy-anyauth', '--proxy-basic', '--socks5-basic'],
  },
  { why: 'HTTP/2 is offered within TLS anyway; elsewhere curl falls back too', options: ['--http2'] },
  { why: 'TLS 1.2 is the oldest version anyway', options: ['-1, --tlsv1', '--tlsv1.0', '--tlsv1.1'] },
  { why: 'SSL 2 and 3 are never used; curl does not use them either', options: ['-2, --sslv2', '-3, --sslv3'] },
  {
    why: 'it concerns TLS libraries that Node does not use',
    options: [
      '--ssl-allow-beast',
      '--ssl-auto-client-cert',
      '--ssl-no-revoke',
      '--ssl-revoke-best-effort',
      '--proxy-ssl-allow-beast',
      '--proxy-ssl-auto-client-cert',
      '--no-npn',
      '--egd-file FILE',
      '--random-file FILE',
    ],
  },
  {
    why: 'certificates and keys in PEM form are expected anyway',
    options: ['--cert-type TYPE', '--key-type TYPE', '--proxy-cert-type TYPE', '--proxy-key-type TYPE'],
    values: /^PEM$/i,
    otherwise: 'Certificates and keys must be in PEM form.',
  },
  {
    why: 'it changes how fast octets come, not which',
    options: [
      '--tcp-fastopen',
      '--tcp-nodelay',
      '--false-start',
      '--tr-encoding',
      '--no-keepalive',
      '--keepalive-time SECONDS',
      '--happy-eyeballs-timeout-ms MILLISECONDS',
    ],
  },
  { why: 'TLS sessions are not kept; only FTP data connections resume one', options: ['--no-sessionid'] },
  { why: 'FTP data connections are passive anyway', options: ['--ftp-pasv'] },
  { why: 'the address in the reply to PASV is never used', options: ['--ftp-skip-pasv-ip'] },
  { why: 'EPRT and LPRT are never sent', options: ['--disable-eprt'] },
  {
    why: 'it concerns files that are sent, and nothing is sent',
    options: ['--create-file-mode MODE'],
    values: /^[0-7]{1,4}$/,
    otherwise: 'A mode is an octal number up to 0777.',
  },
  {
    why: 'the same file comes in any of these ways',
    options: ['--ftp-method METHOD'],
    values: /^(?:multicwd|nocwd|singlecwd)$/i,
    otherwise: 'The methods are multicwd, nocwd and singlecwd.',
  },
  {
    why: 'it concerns sending, and nothing is sent',
    options: ['--crlf', '--expect100-timeout SECONDS', '--form-escape', '--post301', '--post302', '--post303'],
  },
  {
    why: 'it concerns details of mail, SSH or TFTP that have no effect here',
    options: [
      '--compressed-ssh',
      '--hostpubmd5 MD5',
      '--login-options OPTIONS',
      '--pubkey KEY',
      '--sasl-authzid IDENTITY',
      '--sasl-ir',
      '--tftp-blksize VALUE',
      '--tftp-no-options',
    ],
  },
]
