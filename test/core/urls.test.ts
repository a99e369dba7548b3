import { readdirSync, readFileSync } from 'node:fs'
import { domainToASCII } from 'node:url'
import { builtinSchemes, type Defaults, type Locator, type Resolution, RetrievalError, resolve } from '@retriever/core'
import { describe, expect, test } from 'vitest'

/** One line of a table: a URL, where it is specified, and what it means. */
interface Row {
  readonly url: string
  readonly rfc: string
  readonly defaults?: Defaults
  readonly plan?: Readonly<Record<string, unknown>>
  readonly locator?: Partial<Locator>
  /** The set of codes; without it there must be neither warning nor danger. */
  readonly findings?: readonly string[]
  readonly error?: string
  readonly note?: string
}

const folder = new URL('../urls/', import.meta.url)
const tables = readdirSync(folder).map((name) => name.replace(/\.json$/, ''))
const known = new Set(['url', 'rfc', 'defaults', 'plan', 'locator', 'findings', 'error', 'note'])

function readTable(name: string): Row[] {
  const entries: unknown[] = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
  return entries.filter((entry): entry is Row => typeof entry === 'object')
}

function resolveRow({ url, defaults }: Row): Resolution {
  return resolve(url, { domainToAscii: domainToASCII, ...(defaults === undefined ? {} : { defaults }) })
}

function errorOf(row: Row): RetrievalError {
  try {
    resolveRow(row)
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
  throw new Error(`${row.url} resolves, but should fail with ${row.error}`)
}

function codes({ findings }: Resolution): string[] {
  return [...new Set(findings.map((finding) => finding.code))].sort()
}

function check(row: Row): void {
  if (row.error !== undefined) {
    expect(errorOf(row)).toMatchObject({ code: row.error, phase: 'resolve' })
    return
  }
  const resolution = resolveRow(row)
  if (row.plan) expect(resolution.plan).toMatchObject(row.plan)
  if (row.locator) expect(resolution.locator).toMatchObject(row.locator)
  if (row.findings) expect(codes(resolution)).toEqual([...row.findings].sort())
  else expect(resolution.findings.filter((finding) => finding.severity !== 'notice')).toEqual([])
}

test('every scheme has a table, and every table a scheme', () => {
  expect([...tables].sort()).toEqual(builtinSchemes.map((scheme) => scheme.name).sort())
})

describe.each(tables)('%s', (name) => {
  const rows = readTable(name)

  test('the table is well formed', () => {
    expect(rows.length).toBeGreaterThan(4)
    for (const row of rows) {
      expect(Object.keys(row).filter((key) => !known.has(key))).toEqual([])
      expect(row.rfc, row.url).toMatch(/^(RFC|Gopher\+|uri\(7\)|protocols\.md|security\.md|design\.md)/)
      expect(row.plan ?? row.locator ?? row.findings ?? row.error, row.url).toBeDefined()
    }
  })

  for (const row of rows) {
    const title = `${JSON.stringify(row.url).slice(1, -1)} [${row.rfc}]${row.note ? ` ${row.note}` : ''}`
    test(title, () => check(row))
  }
})
