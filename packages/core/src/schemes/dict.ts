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
  resolve: dictPlan,
}

/** Stands in a plan for the digest that AUTH sends (RFC 2229 3.11). */
const proof = '<md5>'

type Question = Omit<DictPlan, 'mechanism' | 'host' | 'port' | 'tls' | 'user'>

function dictPlan({ urlPath, user, password }: Locator, place: Place): DictPlan {
  if (password !== null) place.fail('dict URLs hold no password (RFC 2229 5)', 'password')
  const parts = (urlPath ?? '').split(':').map(decodeOctets)
  const [command = ''] = parts
  const asked =
    command === '' ? show(['show', 'db'], place) : command === 'show' ? show(parts, place) : look(parts, place)
  const [name = '', auth = 'AUTH'] = (user ?? '').split(';').map(decodeOctets)
  if (!/^auth$/i.test(auth)) place.fail('only the login AUTH is known, as in dict://user;AUTH@host/', 'user')
  checkAtoms(name, place, 'user')
  const login =
    name === '' ? {} : { unknown: { [proof]: 'the MD5 of the message id in the greeting and the password' } }
  return {
    mechanism: 'dict',
    host: place.host,
    port: place.port,
    tls: 'none',
    user: name === '' ? null : name,
    ...asked,
    wire: [...(name === '' ? [] : [`AUTH ${name} ${proof}\r\n`]), ...asked.wire],
    ...login,
  }
}

/**
 * A URL may leave out trailing parts: the database is then `!` (the first that has the word), the strategy `.` (the
 * server's own).
 */
function look([command = '', word = '', database = '', ...rest]: readonly string[], place: Place): Question {
  if (command !== 'd' && command !== 'm') return place.fail('d:word or m:word must follow the host', 'urlPath')
  if (word === '') place.fail('a word must follow, as in dict://host/d:word', 'urlPath')
  const [strategy = '', number = '', ...more] = command === 'm' ? rest : ['', ...rest]
  if (more.length > 0) place.fail('too many parts; write a : of a word as %3A', 'urlPath')
  if (!/^\d{0,9}$/.test(number)) place.fail('the number of the definition must be a number', 'urlPath')
  const from = database === '' ? '!' : database
  const by = strategy === '' ? '.' : strategy
  checkAtoms(from + by, place)
  const wire = command === 'd' ? `DEFINE ${from} ${quote(word)}\r\n` : `MATCH ${from} ${by} ${quote(word)}\r\n`
  return {
    operation: command === 'd' ? 'define' : 'match',
    word,
    database: from,
    strategy: command === 'd' ? null : by,
    number: number === '' ? null : Number(number),
    wire: [wire],
  }
}

const shown = { db: 'databases', strat: 'strategies', server: 'server', info: 'information' } as const

/**
 * What the server tells about itself (RFC 2229 3.5), in curl's form: `show:db`, `show:strat`, `show:server`,
 * `show:info:database`. RFC 2229 5 has no URLs for this.
 */
function show([, what = '', database = '', ...more]: readonly string[], place: Place): Question {
  const isKnown = what === 'db' || what === 'strat' || what === 'server' || what === 'info'
  if (!isKnown) return place.fail('show: is followed by db, strat, server, or info: and a database', 'urlPath')
  if (what === 'info' && database === '') place.fail('the name of a database must follow show:info:', 'urlPath')
  if (more.length > 0 || (what !== 'info' && database !== '')) place.fail('too many parts', 'urlPath')
  checkAtoms(database, place)
  return {
    operation: shown[what],
    word: null,
    database: database === '' ? null : database,
    strategy: null,
    number: null,
    wire: [`SHOW ${what.toUpperCase()}${database && ` ${database}`}\r\n`],
  }
}

/**
 * Checks databases, strategies and users, which are atoms (RFC 2229 2.2), unlike the word: a blank in one would begin
 * another parameter. CR, LF and NUL pass, since a finding reports them.
 */
function checkAtoms(atoms: string, place: Place, part: 'user' | 'urlPath' = 'urlPath'): void {
  if (!/[\x01-\x09\x0B\x0C\x0E-\x20"'\\]/.test(atoms)) return
  place.fail(`a ${part === 'user' ? 'user' : 'database or strategy'} is one plain word`, part)
}

/** Puts a word with blanks or quotes in double quotes (RFC 2229 2.2). */
function quote(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`
}
