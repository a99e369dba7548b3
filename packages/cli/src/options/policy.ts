import { network, type OptionRow, urls } from './option.ts'

export type SecurityOption =
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

export const securityOptions: readonly OptionRow<SecurityOption>[] = [
  {
    long: 'allow',
    arg: 'CODE',
    help: 'Let a danger pass: a finding code that explain shows, such as foreign-port',
    commands: network,
    example: 'retrieve --allow foreign-port http://h.example:6000/',
  },
  {
    long: 'allow-port',
    arg: 'N',
    help: 'Connect to port N although it belongs to another protocol',
    commands: network,
    example: 'retrieve --allow-port 6000 http://h.example:6000/',
  },
  {
    long: 'allow-downgrade',
    help: 'Follow a redirect from https to http',
    commands: network,
    example: 'retrieve --allow-downgrade https://www.example.org/',
  },
  {
    long: 'allow-inward',
    help: 'Follow a redirect from elsewhere to this machine',
    commands: network,
    example: 'retrieve --allow-inward http://www.example.org/',
  },
  {
    long: 'public-only',
    help: 'Connect to public addresses alone, and read no files: for programs that retrieve what others name',
    commands: network,
    example: 'retrieve --public-only http://www.example.org/',
  },
  {
    long: 'cacert',
    arg: 'FILE',
    help: 'Trust the certificates in FILE (PEM), not the built-in ones',
    commands: network,
    example: 'retrieve --cacert ca.pem https://h.example/',
  },
  {
    long: 'cert',
    short: 'E',
    arg: 'FILE[:PASSWORD]',
    help: 'Show servers that ask the certificate in FILE (PEM), which may hold its key too; PASSWORD opens the key',
    commands: network,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'key',
    arg: 'FILE',
    help: 'The private key of --cert (PEM)',
    commands: network,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'pass',
    arg: 'PHRASE',
    help: 'Opens the private key',
    commands: network,
    example: 'retrieve --cert me.pem --pass secret https://h.example/',
  },
  {
    long: 'insecure',
    short: 'k',
    help: 'Do not verify certificates: anybody may answer',
    commands: network,
    example: 'retrieve -k https://localhost:8443/',
  },
  {
    long: 'ssl-reqd',
    help: 'Require TLS of FTP and News servers, by AUTH TLS and STARTTLS: ftp: means what ftpes: does',
    commands: urls,
    example: 'retrieve --ssl-reqd ftp://ftp.example.org/x',
  },
]
