import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8')

/** A number of threats.md in a title: `9`, `R14`, `property 17`; and the protocol or area of the test. */
export interface Cited {
  readonly number: string
  readonly place: string
}

/** Where the tests of a folder belong that is not one of test/protocols. */
const areas: Readonly<Record<string, string>> = {
  core: 'core',
  client: 'client',
  kit: 'client',
  wire: 'wire',
  body: 'saving',
  saving: 'saving',
  mirror: 'trees',
  walk: 'trees',
  programs: 'programs',
  cli: 'command',
  differential: 'command',
}

/** The areas that are no protocol, in the order of the columns. */
export const areaNames: readonly string[] = [...new Set(Object.values(areas))]

/** Protocols whose tests by generated octets have another name. */
const fuzzed: Readonly<Record<string, string>> = {
  url: 'core',
  text: 'core',
  cut: 'command',
  directory: 'ldap',
  answers: 'wire',
}

/** The titles of the contract suite, which each protocol that uses it has; some need a member of the subject. */
const needs: Readonly<Record<string, RegExp>> = {
  'failures.ts': /\bstalls: /,
  'ends early': /\bshort: /,
  'another protocol': /^(?![\s\S]*\bunframed: true)/,
  'a password': /\blogin: \(/,
}

/** All numbers that titles of tests have. The real servers of test/interop do not count: CI may have none. */
export function citedInTitles(): Cited[] {
  const paths = ['protocols', 'fuzz', 'servers/src/contract', ...Object.keys(areas)].flatMap(filesBelow)
  const contract = paths
    .filter(isContract)
    .flatMap((path) => titlesIn(read(path)).map((title) => ({ file: path.slice(path.lastIndexOf('/') + 1), title })))
  const cited: Cited[] = []
  const add = (place: string, titles: readonly string[]): void => {
    for (const number of titles.flatMap(numbersIn)) cited.push({ number, place })
  }
  for (const path of paths.filter((each) => each.endsWith('.test.ts'))) {
    const place = placeOf(path)
    if (place === undefined) continue
    const text = read(path)
    add(place, titlesIn(text))
    if (!/^ *testFetcher\(/m.test(text)) continue
    const used = contract.filter(({ file, title }) =>
      Object.entries(needs).every(([part, need]) => !(file === part || title.includes(part)) || need.test(text)),
    )
    add(
      place,
      used.map(({ title }) => title),
    )
  }
  for (const path of paths.filter((each) => each.endsWith('-targets.ts'))) {
    const name = path.slice(path.lastIndexOf('/') + 1, -'-targets.ts'.length)
    add(
      fuzzed[name] ?? name,
      [...read(path).matchAll(/\babout:\s+(['"])(.*)\1/g)].map(([, , about = '']) => about),
    )
  }
  for (const path of paths.filter((each) => /^test\/protocols\/\w+\/urls\/.*\.json$/.test(each))) {
    const rows: readonly (string | { readonly rfc: string; readonly note?: string })[] = JSON.parse(read(path))
    add(
      placeOf(path) ?? '',
      rows.flatMap((row) => (typeof row === 'string' ? [] : [row.rfc, row.note ?? ''])),
    )
  }
  return cited
}

function filesBelow(folder: string): string[] {
  const found = readdirSync(`${root}/test/${folder}`, { recursive: true, encoding: 'utf8' })
  return found.map((path) => `test/${folder}/${path.replaceAll('\\', '/')}`)
}

function isContract(path: string): boolean {
  return /^test\/servers\/src\/contract\/.*\.ts$/.test(path)
}

function placeOf(path: string): string | undefined {
  const [, folder = '', protocol] = path.split('/')
  return folder === 'protocols' ? protocol : areas[folder]
}

/** The first argument of each describe() and test(), also behind each(). */
function titlesIn(source: string): string[] {
  return [...source.matchAll(/(?:\b(?:describe|test)(?:\.\w+)*|\))\(\s*(['"`])(.*?)(?<!\\)\1/g)].map(
    ([, , title = '']) => title,
  )
}

/** The numbers in a text: `cases 4, 5 and 6`, `R2`, `properties 12 to 14` is not one of the forms. */
export function numbersIn(text: string): string[] {
  const several = String.raw`(\d+(?:(?:, | and |, and )\d+)*)`
  const listed = (form: string, before: string): string[] =>
    [...text.matchAll(new RegExp(`\\b${form} ${several}`, 'gi'))].flatMap(([, numbers = '']) =>
      (numbers.match(/\d+/g) ?? []).map((number) => before + number),
    )
  return [
    ...listed('cases?', ''),
    ...listed('propert(?:y|ies)', 'property '),
    ...[...text.matchAll(/\bR\d{1,2}\b/g)].map(([number]) => number),
  ]
}

/** The numbers that threats.md has, with its text of each. */
export function numbersOf(threats: string): ReadonlyMap<string, string> {
  const [, attacks = '', , faults = '', properties = ''] = threats.split(/^## \d\..*$/m)
  const rows = [
    ...attacks.matchAll(/^(\d+)\. ([\s\S]*?)(?=\n\d+\. |$(?![\s\S]))/gm),
    ...faults.matchAll(/^- \*\*(R\d+)\*\* ([\s\S]*?)(?=\n- |$(?![\s\S]))/gm),
    ...[...properties.matchAll(/\((\d+)\)\s+([\s\S]*?)[;.](?=\s+\(|\s+Of|\s*$)/g)].map(
      ([all, number, text]) => [all, `property ${number}`, text] as const,
    ),
  ]
  return new Map(rows.map(([, number = '', text = '']) => [number, text.replace(/\s+/g, ' ').trim()]))
}
