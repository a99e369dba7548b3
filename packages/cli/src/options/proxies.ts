import { network, type OptionRow } from './option.ts'

export type ProxyOption =
  | 'proxy'
  | 'socks5'
  | 'socks5-hostname'
  | 'proxytunnel'
  | 'proxy-user'
  | 'noproxy'
  | 'proxy-cacert'

export const proxyOptions: readonly OptionRow<ProxyOption>[] = [
  {
    long: 'proxy',
    short: 'x',
    arg: '[PROTOCOL://]HOST[:PORT]',
    help: 'Go through this proxy: http (if none is named), https, socks5 or socks5h; port 1080, of https 443. "" is none, whatever $ftp_proxy, $all_proxy and their like say',
    commands: network,
    example: 'retrieve -x http://proxy.example:3128 ftp://ftp.example.org/pub/file',
  },
  {
    long: 'socks5',
    arg: 'HOST[:PORT]',
    help: 'Go through this SOCKS 5 proxy; names are looked up here',
    commands: network,
    example: 'retrieve --socks5 localhost:1080 ftp://ftp.example.org/pub/file',
  },
  {
    long: 'socks5-hostname',
    arg: 'HOST[:PORT]',
    help: 'Go through this SOCKS 5 proxy, which looks names up itself',
    commands: network,
    example: 'retrieve --socks5-hostname localhost:9050 gopher://gopher.example.org/',
  },
  {
    long: 'proxytunnel',
    short: 'p',
    help: 'Have an HTTP proxy connect on to the server, also for http and ftp: real FTP, real listings',
    commands: network,
    example: 'retrieve -p -x proxy.example:3128 ftp://ftp.example.org/pub/',
  },
  {
    long: 'proxy-user',
    short: 'U',
    arg: 'USER[:PASSWORD]',
    help: 'For the proxy; without PASSWORD you are asked for it',
    commands: network,
    example: 'retrieve -U alice -x proxy.example:3128 http://www.example.org/',
  },
  {
    long: 'noproxy',
    arg: 'LIST',
    help: 'Hosts, domains and networks to go to without a proxy, with commas between; * is all of them. Else $no_proxy',
    commands: network,
    example: 'retrieve --noproxy localhost,example.org,10.0.0.0/8 http://www.example.org/',
  },
  {
    long: 'proxy-cacert',
    arg: 'FILE',
    help: 'Of an https proxy, trust the certificates in FILE (PEM); else what --cacert says',
    commands: network,
    example: 'retrieve --proxy-cacert ca.pem -x https://proxy.example http://www.example.org/',
  },
]
