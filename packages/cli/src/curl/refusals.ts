/** Options of curl that Retriever does not have, with the sentence that says why or what to do. */
export interface OtherOptions {
  readonly why: string
  /** The options as curl's help writes them, without their arguments. */
  readonly options: readonly string[]
}

/** Options that are refused on purpose: they ask for something that is no retrieval, or is unsafe. */
export const refused: readonly OtherOptions[] = [
  {
    why: 'Retriever only retrieves: no data, file or mail is sent.',
    options: [
      '-T, --upload-file',
      '-a, --append',
      '--mail-auth',
      '--mail-from',
      '--mail-rcpt',
      '--mail-rcpt-allowfails',
    ],
  },
  {
    why: 'HTTP forms cannot be posted; --form NAME=VALUE answers the forms of Gopher servers.',
    options: ['-F', '--form-string'],
  },
  {
    why: 'Only the FTP commands of a retrieval are sent; the server is not changed.',
    options: ['-Q, --quote', '--ftp-create-dirs', '--ftp-alternative-to-user'],
  },
  {
    why: 'FTP data connections are passive: no server connects to this machine. For a folder, use --output-dir.',
    options: ['-P'],
  },
  {
    why: 'A login is sent only to the host of the URL; give -u with the URL that the redirect names.',
    options: ['--location-trusted'],
  },
  {
    why: 'Anybody on the way can prevent "TLS if possible"; use --ssl-reqd.',
    options: ['--ssl'],
  },
  {
    why: 'The control connection of FTP stays in TLS to its end, or does not use TLS.',
    options: ['--ftp-ssl-ccc', '--ftp-ssl-ccc-mode', '--ftp-ssl-control', '--krb'],
  },
  {
    why: 'Logins of Windows and Kerberos are not supported; Basic, Digest and Bearer are.',
    options: [
      '--ntlm',
      '--ntlm-wb',
      '--negotiate',
      '--delegation',
      '--service-name',
      '--proxy-ntlm',
      '--proxy-negotiate',
      '--proxy-service-name',
      '--socks5-gssapi',
      '--socks5-gssapi-nec',
      '--socks5-gssapi-service',
    ],
  },
  {
    why: 'A login within TLS (TLS-SRP) is not supported; use --cert.',
    options: [
      '--tlsauthtype',
      '--tlspassword',
      '--tlsuser',
      '--proxy-tlsauthtype',
      '--proxy-tlspassword',
      '--proxy-tlsuser',
      '--proxy-tlsv1',
    ],
  },
  { why: 'HTTP/3 is not supported; leave it out for HTTP/2 or HTTP/1.1.', options: ['--http3', '--http3-only'] },
  {
    why: 'An answer without a head may be of any protocol, and its end cannot be known.',
    options: ['--http0.9'],
  },
  {
    why: 'Only HTTP/1.1 and, within TLS, HTTP/2 are supported; leave it out.',
    options: ['-0, --http1.0', '--proxy1.0', '--http2-prior-knowledge'],
  },
  {
    why: 'A body ends after its stated length; any other end would lose or mix answers.',
    options: ['--ignore-content-length', '--raw'],
  },
  {
    why: 'The target follows from the URL, whose path and query are sent as they were typed.',
    options: ['--request-target'],
  },
  {
    why: 'Node cannot write attributes of files; -w prints the URL and the type.',
    options: ['--xattr'],
  },
  {
    why: 'Node 20 cannot reach abstract sockets; use one with a path, by --unix-socket.',
    options: ['--abstract-unix-socket'],
  },
  {
    why: 'The system looks up names; see --resolve, --connect-to, and socks5h proxies.',
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
  {
    why: 'Node does not verify the OCSP answers of servers; use --crlfile.',
    options: ['--cert-status'],
  },
  { why: 'Retriever is not made with libcurl or OpenSSL engines.', options: ['--libcurl', '--engine'] },
  { why: 'curl has withdrawn it too.', options: ['--metalink'] },
  { why: 'It is for servers behind a load balancer.', options: ['--haproxy-protocol'] },
]
