import type { OtherOptions } from './refusals.ts'

/** Options that Retriever does not have yet, with the way round, if there is one. */
export const notYet: readonly OtherOptions[] = [
  { why: 'Requests are not signed; give the fields with -H.', options: ['--aws-sigv4'] },
  { why: 'The strongest login that the server offers is used.', options: ['--digest'] },
  { why: 'The strongest login that the proxy offers is used.', options: ['--proxy-digest'] },
  { why: 'Use -v, and redirect standard error with 2>.', options: ['--trace', '--trace-ascii', '--trace-time'] },
  { why: 'Redirect standard error with 2>.', options: ['--stderr'] },
  { why: 'PASV is sent without it.', options: ['--ftp-pret'] },
  { why: 'Proxies are HTTP, HTTPS and SOCKS 5, one at a time.', options: ['--preproxy', '--socks4', '--socks4a'] },
  { why: 'No other fields are sent to proxies.', options: ['--proxy-header'] },
  { why: 'Nothing is remembered between two runs.', options: ['--alt-svc', '--hsts'] },
]
