import { type Database, databases, strategies } from './seed.ts'

interface Found {
  readonly database: string
  readonly description: string
  readonly word: string
  readonly texts: readonly string[]
}

/** The answer to DEFINE (RFC 2229 3.2). `!` means the first database that has the word, `*` all databases. */
export function definitions(database: string, word: string): string {
  if (!isDatabase(database)) return invalidDatabase
  const found = search(database, (each) => each === word.toLowerCase())
  const texts = found.flatMap((each) => each.texts.map((text) => ({ ...each, text })))
  if (texts.length === 0) return noMatch
  const all = texts.map(
    (each) =>
      `151 ${quote(each.word)} ${each.database} ${quote(each.description)} - text follows\r\n${block(each.text)}`,
  )
  return `150 ${texts.length} definitions retrieved - definitions follow\r\n${all.join('')}${done}`
}

/** The answer to MATCH (RFC 2229 3.3). */
export function matches(database: string, strategy: string, word: string): string {
  if (!isDatabase(database)) return invalidDatabase
  const by = strategy === '.' ? 'prefix' : strategy
  if (!Object.hasOwn(strategies, by)) return '551 Invalid strategy, use SHOW STRAT for a list\r\n'
  const wanted = word.toLowerCase()
  const found = search(database, (each) => (by === 'exact' ? each === wanted : each.startsWith(wanted)))
  if (found.length === 0) return noMatch
  const lines = found.map((each) => `${each.database} ${quote(each.word)}\n`).join('')
  return `152 ${found.length} matches found - text follows\r\n${block(lines)}${done}`
}

/** The answer to SHOW (RFC 2229 3.5). */
export function shown(what: string, name: string): string {
  if (what === 'DB' || what === 'DATABASES') {
    const lines = Object.entries(databases).map(([each, { description }]) => `${each} ${quote(description)}\n`)
    return `110 ${lines.length} databases present - text follows\r\n${block(lines.join(''))}${done}`
  }
  if (what === 'STRAT' || what === 'STRATEGIES') {
    const lines = Object.entries(strategies).map(([each, description]) => `${each} ${quote(description)}\n`)
    return `111 ${lines.length} strategies available - text follows\r\n${block(lines.join(''))}${done}`
  }
  if (what === 'SERVER') return `114 server information follows\r\n${block('The test server.\n')}${done}`
  const database = databaseNamed(name)
  if (what !== 'INFO') return '501 Syntax error, illegal parameters\r\n'
  return database === undefined ? invalidDatabase : `112 information follows\r\n${block(database.info)}${done}`
}

const done = '250 ok [d/m/c = 1/0/3]\r\n'
const noMatch = '552 no match [d/m/c = 0/0/3]\r\n'
const invalidDatabase = '550 Invalid database, use "SHOW DB" for list of databases\r\n'

function search(database: string, fits: (word: string) => boolean): Found[] {
  const found: Found[] = []
  for (const [name, { description, words }] of Object.entries(databases)) {
    if (!'!*'.includes(database) && name !== database) continue
    for (const [word, texts] of Object.entries(words)) {
      if (fits(word)) found.push({ database: name, description, word, texts })
    }
    if (database === '!' && found.length > 0) return found
  }
  return found
}

function isDatabase(name: string): boolean {
  return name === '!' || name === '*' || databaseNamed(name) !== undefined
}

function databaseNamed(name: string): Database | undefined {
  return Object.hasOwn(databases, name) ? databases[name] : undefined
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** A text with CRLF, doubled dots and the end mark (RFC 2229 2.4.1). */
function block(text: string): string {
  return `${text.replace(/^\./gm, '..').replaceAll('\n', '\r\n')}.\r\n`
}
