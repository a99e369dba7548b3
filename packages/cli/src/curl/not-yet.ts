import type { OtherOptions } from './refusals.ts'

/** Options that Retriever does not have yet, with the way round, if there is one. */
export const notYet: readonly OtherOptions[] = [
  { why: "Give cookies with -H 'Cookie: NAME=VALUE'.", options: ['-b, --cookie', '-j, --junk-session-cookies'] },
  {
    why: "No cookies are kept; give them with -H 'Cookie: NAME=VALUE'. To continue a file, use -C -.",
    options: ['-c, --cookie-jar'],
  },
  { why: 'Requests are not signed; give the fields with -H.', options: ['--aws-sigv4'] },
  { why: '--no-fail outputs what the server says, with exit status 0.', options: ['--fail-with-body'] },
  { why: 'The strongest login that the server offers is used.', options: ['--digest'] },
  { why: 'The strongest login that the proxy offers is used.', options: ['--proxy-digest'] },
  { why: 'Write the query into the URL.', options: ['-G, --get', '--url-query'] },
  { why: 'Use -v, and redirect standard error with 2>.', options: ['--trace', '--trace-ascii', '--trace-time'] },
  { why: 'Redirect standard error with 2>.', options: ['--stderr'] },
  { why: 'Run retrieve once for each set of options.', options: ['-:, --next'] },
  { why: 'Use umask or chmod.', options: ['--create-file-mode'] },
  { why: '-O never overwrites; -o does.', options: ['--no-clobber'] },
  { why: 'A single -O is for all URLs.', options: ['--remote-name-all'] },
  { why: 'A file that is not complete is called NAME.part.', options: ['--remove-on-error'] },
  { why: 'Use ls for the names in a folder.', options: ['-l, --list-only'] },
  { why: 'Write ;type=a at the end of the FTP URL.', options: ['-B, --use-ascii'] },
  { why: 'The folders of an FTP URL are entered one by one.', options: ['--ftp-method'] },
  { why: 'PASV is sent without it.', options: ['--ftp-pret'] },
  { why: 'See retrieve help all, or man retrieve.', options: ['-M, --manual'] },
  { why: 'Name the options on the command line.', options: ['-K, --config'] },
  { why: 'Proxies are HTTP, HTTPS and SOCKS 5, one at a time.', options: ['--preproxy', '--socks4', '--socks4a'] },
  { why: 'The target follows from the URL.', options: ['--request-target'] },
  { why: 'Nothing is remembered between two runs.', options: ['--alt-svc', '--hsts'] },
  { why: 'explain shows whether a URL names a user.', options: ['--disallow-username-in-url'] },
  { why: 'Nothing but the date of the file is set.', options: ['--xattr'] },
]
