import type { OtherOptions } from './refusals.ts'

/** Options that Retriever does not have yet, with the way round, if there is one. */
export const notYet: readonly OtherOptions[] = [
  { why: 'Requests are not signed; give the fields with -H.', options: ['--aws-sigv4'] },
  { why: 'The strongest login that the server offers is used.', options: ['--digest'] },
  { why: 'The strongest login that the proxy offers is used.', options: ['--proxy-digest'] },
  { why: 'Use --resolve HOST:PORT:ADDRESS.', options: ['--connect-to', '-4, --ipv4', '-6, --ipv6'] },
  {
    why: 'The names are those that the system looks up.',
    options: [
      '--dns-interface',
      '--dns-ipv4-addr',
      '--dns-ipv6-addr',
      '--dns-servers',
      '--doh-cert-status',
      '--doh-insecure',
      '--doh-url',
    ],
  },
  { why: 'Use -v, and redirect standard error with 2>.', options: ['--trace', '--trace-ascii', '--trace-time'] },
  { why: 'Redirect standard error with 2>.', options: ['--stderr'] },
  { why: 'Redirects never lead from https to http, or to files.', options: ['--proto', '--proto-redir'] },
  { why: 'PASV is sent without it.', options: ['--ftp-pret'] },
  {
    why: 'The system chooses the interface and the port.',
    options: ['--interface', '--local-port'],
  },
  { why: 'Only TCP connections are made.', options: ['--unix-socket', '--abstract-unix-socket'] },
  {
    why: 'TLS 1.2 and 1.3 are offered, with the ciphers and the protocols that Node chooses.',
    options: [
      '--tlsv1.3',
      '--tls-max',
      '--tls13-ciphers',
      '--ciphers',
      '--curves',
      '--no-alpn',
      '--no-sessionid',
      '--proxy-ciphers',
      '--proxy-tls13-ciphers',
    ],
  },
  {
    why: 'Use --cacert with the certificates to trust.',
    options: ['--capath', '--cert-status', '--crlfile', '--pinnedpubkey'],
  },
  {
    why: 'An https proxy is verified by --proxy-cacert alone.',
    options: [
      '--proxy-capath',
      '--proxy-cert',
      '--proxy-cert-type',
      '--proxy-crlfile',
      '--proxy-insecure',
      '--proxy-key',
      '--proxy-key-type',
      '--proxy-pass',
      '--proxy-pinnedpubkey',
    ],
  },
  { why: 'Proxies are HTTP, HTTPS and SOCKS 5, one at a time.', options: ['--preproxy', '--socks4', '--socks4a'] },
  { why: 'No other fields are sent to proxies.', options: ['--proxy-header'] },
  { why: 'Nothing is remembered between two runs.', options: ['--alt-svc', '--hsts'] },
]
