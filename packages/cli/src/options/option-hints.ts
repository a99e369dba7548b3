/** The library's words for what can be set, where its messages give advice, and what a person types instead. */
const typed: readonly (readonly [RegExp, string])[] = [
  [/\btotalTimeout\b/, '--max-time'],
  [/\bconnectTimeout\b/, '--connect-timeout'],
  // Nothing to type yet.
  [/, or raise idleTimeout\b/, ''],
  [/, or raise minSpeedTime\b|, or lower minSpeed\b/, ', or give another --speed-limit or --speed-time'],
  [/\bmaxSize\b/, '--max-filesize'],
  // Nor here; the number says it all.
  [/\bmaxRetryDelay \((\d+ s)\)/, '$1'],
  [/\bpolicy\.allowDowngrade\b/, '--allow-downgrade'],
  [/\bpolicy\.allowInward\b/, '--allow-inward'],
  [/\bthrough the credentials option\b|\bas credentials\b/, 'by -u'],
  [/\bthe Authorization field of your own\b/, 'what -H or --oauth2-bearer gives as Authorization'],
  [/`error\.response` has what it says/, '-v shows what it says'],
  [/, by `headers`/, ', by -H or --oauth2-bearer'],
  [
    /\bby prompt or number with the option `form`; the command: (--form NAME=VALUE)/,
    'by $1, NAME being a prompt or a number',
  ],
  [/--news-server, NNTPSERVER or defaults\.newsServer\b/, '--news-server HOST, or by $NNTPSERVER'],
  [/`defaults\.requireTls`/, '--ssl-reqd'],
  [/`compressed`/, '--compressed'],
  // Of options that have no effect.
  [/`resumeFrom`/, '-C'],
  [/`range`/, '-r'],
  [/`ifChangedSince`/, '-z'],
  [/`ifNoneMatch`/, '--etag-compare'],
  [/`accept`/, '--accept'],
  [/`acceptLanguage`/, '--accept-language'],
  [/`form`/, '--form'],
  [/`limit`/, '--limit'],
  [/The option `headers` has/, 'The options -H, -A and -e have'],
  [/`fail`/, '--no-fail'],
  [/`split`/, '--split'],
  [/\bmaxRedirects\b/, '--max-redirs'],
  [/`fail: false`/, '--no-fail'],
  [/as a Cookie field of `headers`/, "by -H 'Cookie: ...'"],
  [/ or tls\.(?:ca|proxyCa|cert)\b/, ''],
  [/\bpolicy\.publicOnly\b/, '--public-only'],
  [/`tls\.passphrase`/, '--pass'],
  [/`tls\.key`/g, '--key'],
  [/`tls\.cert`/g, '--cert'],
  [/`addresses(?:\["[^"]*"\])?`/, '--resolve'],
  [/do not offer it: `httpFetcher\(\{ http2: false \}\)`/, 'give --http1.1'],
  [/`proxy`/, 'the proxy (--proxy, or a variable such as $ftp_proxy)'],
  [/\bproxyTunnel\b/, '--proxytunnel'],
  [/\bgive it user and password in its URL\b/, 'give --proxy-user'],
]

/** A message of the library with its advice in the command's own terms. */
export function inOptions(message: string): string {
  return typed.reduce((text, [word, option]) => text.replace(word, option), message)
}
