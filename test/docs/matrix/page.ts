import { readdirSync, readFileSync } from 'node:fs'
import { page, table } from '../tables.ts'
import { concerns } from './concerns.ts'
import { reasons } from './reasons.ts'
import { areaNames, type Cited, citedInTitles, numbersOf } from './titles.ts'

const root = new URL('../../../', import.meta.url)

/** The numbers of threats.md, what titles of tests cite, and what is wrong with both. */
export interface Matrix {
  readonly numbers: ReadonlyMap<string, string>
  /** The cells that a title of a test cites, as `NUMBER PLACE`. */
  readonly tested: ReadonlySet<string>
  /** The letter of the reason, by `NUMBER PLACE`. */
  readonly letters: ReadonlyMap<string, string>
}

export function readMatrix(cited: readonly Cited[] = citedInTitles()): Matrix {
  const tested = new Set(cited.map(({ number, place }) => `${number} ${place}`))
  const letters = reasons.flatMap(({ cells }, at) => cellsOf(cells).map((cell) => [cell, letterOf(at)] as const))
  const threats = readFileSync(new URL('docs/internals/threats.md', root), 'utf8')
  return { numbers: numbersOf(threats), tested, letters: new Map(letters) }
}

/** What is wrong, as sentences. None if each number has a test, and each cell that it concerns a test or a reason. */
export function gapsIn({ numbers, tested, letters }: Matrix): string[] {
  const places = new Set([...readdirSync(new URL('test/protocols', root)), ...areaNames])
  const known = (cell: string): boolean => numbers.has(numberOf(cell)) && places.has(placeOf(cell))
  const required = Object.entries(concerns).flatMap(([number, all]) =>
    all.split(' ').map((place) => `${number} ${place}`),
  )
  const shown = new Set([...tested].map(numberOf))
  return [
    ...[...numbers.keys()].filter((number) => !shown.has(number)).map((number) => `${number} has no test.`),
    ...required.filter((cell) => !tested.has(cell) && !letters.has(cell)).map((cell) => `${cell}: no test, no reason.`),
    ...[...letters.keys()].filter((cell) => tested.has(cell)).map((cell) => `${cell} has a test: drop its reason.`),
    ...[...letters.keys()]
      .filter((cell) => !required.includes(cell))
      .map((cell) => `${cell}: a reason, but no concern.`),
    ...[...tested, ...required].filter((cell) => !known(cell)).map((cell) => `${cell} is unknown.`),
  ]
}

/** The protocols that have a column; the others share one. */
const columns = 'http ftp nntp gopher imap pop3 ldap sftp nfs telnet wais z3950 prospero'.split(' ')

/** docs/internals/matrix.md. */
export function matrixPage(matrix: Matrix = readMatrix()): string {
  const { numbers, tested, letters } = matrix
  const mark = (number: string, place: string): string => {
    const cell = `${number} ${place}`
    return tested.has(cell) ? 'x' : (letters.get(cell) ?? '')
  }
  const others = [...new Set([...tested, ...letters.keys()].map(placeOf))]
    .filter((place) => !columns.includes(place) && !areaNames.includes(place))
    .sort()
  const rows = [...numbers.keys()].map((number) => [
    number.replace('property ', 'P'),
    ...columns.map((place) => mark(number, place)),
    others
      .flatMap((place) => ({ x: [place], '': [] })[mark(number, place)] ?? [`${place} ${mark(number, place)}`])
      .join(', '),
    ...areaNames.map((place) => mark(number, place)),
  ])
  return page(
    'Which test shows what',
    `Attacks (1 to 92), faults (R1 to R44) and properties (P1 to P23) of [threats.md](threats.md), and the protocols and
areas in which a test has the number in its title (x): \`case 9, ...\`, \`R14: ...\`, \`property 17: ...\`. A letter is the
reason why a protocol that a number concerns has no test of its own; an empty cell is no concern of the number.
\`test/docs/matrix\` makes this page and has the reasons.`,
    table(['', ...columns, 'others', ...areaNames], rows),
    '## Reasons',
    reasons.map(({ why }, at) => `- **${letterOf(at)}** ${why}`).join('\n'),
  )
}

function cellsOf(cells: readonly string[]): string[] {
  return cells.flatMap((row) => {
    const [number = '', places = ''] = row.split(': ')
    return places.split(' ').map((place) => `${number} ${place}`)
  })
}

const letterOf = (at: number): string => String.fromCharCode('a'.charCodeAt(0) + at)
const placeOf = (cell: string): string => cell.slice(cell.lastIndexOf(' ') + 1)
const numberOf = (cell: string): string => cell.slice(0, cell.lastIndexOf(' '))
