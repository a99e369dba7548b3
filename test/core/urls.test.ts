import { domainToASCII } from 'node:url'
import { builtinSchemes, type Defaults, type Locator, type Resolution, RetrievalError, resolve } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { urlTables } from '../support/url-tables.ts'

/** One line of a table: a URL, where it is specified, and what it means. */
interface Row {
  readonly url: string
  readonly rfc: string
  /** The URL of the resource that `url` was found in, where `url` is relative. */
  readonly base?: string
  readonly defaults?: Defaults
  readonly plan?: Readonly<Record<string, unknown>>
  readonly locator?: Partial<Locator>
  /** The set of codes; without it there must be neither warning nor danger. */
  readonly findings?: readonly string[]
  readonly error?: string
  readonly note?: string
}

const known = new Set(['url', 'base', 'rfc', 'defaults', 'plan', 'locator', 'findings', 'error', 'note'])

function rowsOf(table: readonly unknown[]): Row[] {
  return table.filter((entry): entry is Row => typeof entry === 'object')
}

function resolveRow({ url, base, defaults }: Row): Resolution {
  return resolve(url, {
    domainToAscii: domainToASCII,
    ...(base === undefined ? {} : { base }),
    ...(defaults === undefined ? {} : { defaults }),
  })
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
  expect([...urlTables.keys()].sort()).toEqual(builtinSchemes.map((scheme) => scheme.name).sort())
})

describe.each([...urlTables])('%s', (_, table) => {
  const rows = rowsOf(table)

  test('the table is well formed', () => {
    expect(rows.length).toBeGreaterThan(4)
    for (const row of rows) {
      expect(Object.keys(row).filter((key) => !known.has(key))).toEqual([])
      expect(row.rfc, row.url).toMatch(/^(RFC \d|MQTT \d|Gopher\+|Gemini \d|draft-|uri\(7\)|threats\.md|by convention)/)
      expect(row.plan ?? row.locator ?? row.findings ?? row.error, row.url).toBeDefined()
    }
  })

  for (const row of rows) {
    const from = row.base === undefined ? '' : ` within ${row.base}`
    const title = `${JSON.stringify(row.url).slice(1, -1).slice(0, 120)}${from} [${row.rfc}]${row.note ? ` ${row.note}` : ''}`
    test(title, () => check(row))
  }
})

describe('limits, at n and n+1: threats.md case 79 and 90, section 2', () => {
  const generous = new Set(['data'])
  const schemes = builtinSchemes.map(({ name }) => name).filter((name) => !generous.has(name))

  function outcome(url: string): string {
    try {
      resolve(url, { domainToAscii: domainToASCII })
      return 'resolves'
    } catch (error) {
      if (RetrievalError.is(error)) return error.code
      throw error
    }
  }

  test.each(schemes.filter((name) => name !== 'mid' && name !== 'cid'))('%s: 64 KiB', (name) => {
    const url = `${name}:`
    expect(outcome(url.padEnd(65_536, 'a'))).not.toBe('limit-exceeded')
    expect(outcome(url.padEnd(65_537, 'a'))).toBe('limit-exceeded')
  })

  test.each(['mid', 'cid'])('%s: 6,000 characters, looked at before the ids', (name) => {
    expect(outcome(`${name}:@${'@'.repeat(65_000)}<`)).toBe('limit-exceeded')
    expect(outcome(`${name}:a@`.padEnd(6000, 'a'))).toBe('resolves')
    expect(outcome(`${name}:a@`.padEnd(6001, 'a'))).toBe('limit-exceeded')
  })

  test.each([
    ['@a@b', 'resolves'],
    ['a@@', 'resolves'],
    ['@a', 'malformed-url'],
    ['a@', 'malformed-url'],
    ['@', 'malformed-url'],
    ['a@b@<', 'malformed-url'],
  ])('mid:%s %s', (id, expected) => {
    expect(outcome(`mid:${id}`)).toBe(expected)
  })

  test('a user of 70,000 octets, a URL of 1 MB', () => {
    expect(outcome(`ftp://${'u'.repeat(70_000)}@h/`)).toBe('limit-exceeded')
    expect(outcome(`gopher://h/0${'a'.repeat(1_000_000)}`)).toBe('limit-exceeded')
  })

  test('data: 8 MiB', () => {
    const megabytes = 8 * 1024 * 1024
    expect(outcome('data:,'.padEnd(megabytes, 'a'))).toBe('resolves')
    expect(outcome('data:,'.padEnd(megabytes + 1, 'a'))).toBe('limit-exceeded')
  })

  test('labels of 63 and 64 octets, names of 253 and 254, for every scheme that has hosts', () => {
    const rests = ['/', '/x', '/x/1', '/db?id', '/d:x']
    for (const { name, host } of builtinSchemes) {
      if (host === 'none' || host === 'socket') continue
      const rest = rests.find((path) => outcome(`${name}://h${path}`) === 'resolves')
      expect(rest, name).toBeDefined()
      const label = 'a'.repeat(63)
      const names = [
        label,
        `${label}a`,
        `${label}.${label}.${label}.${label.slice(2)}`,
        `${label}.${label}.${label}.${label.slice(1)}`,
      ]
      const outcomes = names.map((longName) => outcome(`${name}://${longName}${rest}`))
      expect(outcomes, name).toEqual(['resolves', 'malformed-url', 'resolves', 'malformed-url'])
    }
  })
})
