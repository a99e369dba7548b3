import type { DictPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 2229 5: `dict://host:port/d:word:database:n`, `dict://host:port/m:word:database:strategy:n`. */
export const dict: Scheme = {
  name: 'dict',
  title: 'Dictionary Server Protocol',
  spec: 'RFC 2229 5',
  mechanism: 'dict',
  defaultPort: 2628,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: false,
  lineParts: ['user', 'urlPath'],
  hint: 'Use curl or dict.',
  resolve: dictPlan,
}

/**
 * Trailing parts may be left out: the database is then `!` (the first that has it), the strategy `.` (the server's
 * own).
 */
function dictPlan({ urlPath, password }: Locator, place: Place): DictPlan {
  if (password !== null) place.fail('dict URLs hold no password (RFC 2229 5)', 'password')
  const [command = '', word = '', database = '', ...rest] = (urlPath ?? '').split(':').map(decodeOctets)
  if (command !== 'd' && command !== 'm') return place.fail('d:word or m:word must follow the host', 'urlPath')
  if (word === '') place.fail('a word must follow, as in dict://host/d:word', 'urlPath')
  const [strategy = '', number = '', ...more] = command === 'm' ? rest : ['', ...rest]
  if (more.length > 0) place.fail('too many parts; write a : of a word as %3A', 'urlPath')
  if (!/^\d{0,9}$/.test(number)) place.fail('the number of the definition must be a number', 'urlPath')
  const from = database === '' ? '!' : database
  const by = strategy === '' ? '.' : strategy
  // These are atoms (RFC 2229 2.2), unlike the word. A blank in one would begin another parameter. CR, LF and NUL are a
  // finding.
  if (/[\x01-\x09\x0B\x0C\x0E-\x20"'\\]/.test(from + by))
    place.fail('a database or strategy is one plain word', 'urlPath')
  const wire = command === 'd' ? `DEFINE ${from} ${quote(word)}\r\n` : `MATCH ${from} ${by} ${quote(word)}\r\n`
  return {
    mechanism: 'dict',
    host: place.host,
    port: place.port,
    tls: 'none',
    operation: command === 'd' ? 'define' : 'match',
    word,
    database: from,
    strategy: command === 'd' ? null : by,
    number: number === '' ? null : Number(number),
    wire: [wire],
  }
}

/** Puts a word with blanks or quotes in double quotes (RFC 2229 2.2). */
function quote(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`
}
