import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../protocols/', import.meta.url)

/** The tables of URLs by scheme: test/protocols/NAME/urls/SCHEME.json. */
export const urlTables: ReadonlyMap<string, readonly unknown[]> = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .flatMap((path): [string, readonly unknown[]][] => {
      const [, scheme] = /^\w+\/urls\/(.+)\.json$/.exec(path) ?? []
      return scheme === undefined ? [] : [[scheme, JSON.parse(readFileSync(new URL(path, folder), 'utf8'))]]
    })
    .sort(([one], [other]) => (one < other ? -1 : 1)),
)

/** All URLs of the tables: every form of every scheme, good and bad. Relative references are among them. */
export const tableUrls: readonly string[] = [...urlTables.values()]
  .flat()
  .map((row) => (typeof row === 'object' && row !== null && 'url' in row ? String(row.url) : ''))
