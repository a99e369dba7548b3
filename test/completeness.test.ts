import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinSchemes } from '@retriever/core'
import { builtinMechanisms } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import type { About } from '../packages/fetchers/src/contract/about.ts'
import { builtinProtocols } from '../packages/fetchers/src/protocols/index.ts'
import { schemePages } from './docs/scheme-pages.ts'
import { urlTables } from './support/url-tables.ts'

/** A scheme is a line in one table, a mechanism a line in another; what else belongs to each must not be forgotten. */
const root = new URL('../', import.meta.url)
const schemes = builtinSchemes.map(({ name }) => name)
const mechanisms = [...builtinMechanisms]

/** Names that are missing or superfluous, each with the path or line to add or to remove. */
function difference(wanted: readonly string[], there: readonly string[], where: (name: string) => string): string[] {
  return [
    ...wanted.filter((name) => !there.includes(name)).map((name) => `missing: ${where(name)}`),
    ...there.filter((name) => !wanted.includes(name)).map((name) => `belongs to nothing: ${where(name)}`),
  ]
}

function readJson(path: string): {
  readonly exports: Readonly<Record<string, { readonly default?: string } | string>>
} {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8'))
}

test('every scheme has a fetcher, or says what to use instead; every fetcher has a scheme', () => {
  const hinted = new Set<string>(
    builtinSchemes.filter(({ hint }) => hint !== undefined).map(({ mechanism }) => mechanism),
  )
  expect(mechanisms.filter((name) => hinted.has(name))).toEqual([])
  const used = [...new Set<string>(builtinSchemes.map(({ mechanism }) => mechanism))].filter(
    (name) => !hinted.has(name),
  )
  expect(difference(used, mechanisms, (name) => `${name} in packages/fetchers/src/protocols/index.ts`)).toEqual([])
})

/** What about.ts in a mechanism's folder exports by the mechanism's name. */
async function aboutOf(name: string): Promise<Partial<About>> {
  const path = `packages/fetchers/src/protocols/${name}/about.ts`
  expect(existsSync(new URL(path, root)), path).toBe(true)
  const module: Record<string, Partial<About>> = await import(new URL(path, root).href)
  return module[name] ?? {}
}

test('every mechanism has an about.ts, which its line in the list and its fetcher have', async () => {
  for (const protocol of builtinProtocols({ localHosts: [] })) {
    const about = await aboutOf(protocol.mechanism)
    expect(about, protocol.mechanism).toMatchObject({
      mechanism: protocol.mechanism,
      schemes: builtinSchemes.filter(({ mechanism }) => mechanism === protocol.mechanism),
      title: expect.stringMatching(/./),
    })
    expect(protocol).toMatchObject(about)
    expect(await protocol.load()).toMatchObject(about)
  }
})

test('every mechanism has a folder, whose index exports its fetcher', async () => {
  for (const name of mechanisms) {
    const path = `packages/fetchers/src/protocols/${name}/index.ts`
    expect(existsSync(new URL(path, root)), path).toBe(true)
    const module: Record<string, unknown> = await import(new URL(path, root).href)
    const make = module[`${name}Fetcher`]
    expect(make, `${name}Fetcher in ${path}`).toBeTypeOf('function')
    expect((make as () => unknown)()).toMatchObject(await aboutOf(name))
  }
})

test('every mechanism has a sub-path export', () => {
  const { exports } = readJson('packages/fetchers/package.json')
  // client knows no mechanism, and its functions for trees and batches as little; plugin is what fetchers of others are
  // made from; mime reads messages, whichever mechanism brought them; pages reads links.
  const others = [
    '.',
    './client',
    './trees',
    './batches',
    './internal',
    './plugin',
    './mime',
    './pages',
    './package.json',
  ]
  const paths = Object.keys(exports).filter((path) => !others.includes(path))
  const where = (name: string) => `"./${name}" in the exports of packages/fetchers/package.json`
  expect(
    difference(
      mechanisms,
      paths.map((path) => path.slice(2)),
      where,
    ),
  ).toEqual([])
  for (const name of mechanisms)
    expect(exports[`./${name}`]).toMatchObject({ default: `./dist/protocols/${name}/index.js` })
})

test('every scheme has a page, or is named in the title of another', () => {
  const named = schemePages.flatMap((page) => page.schemes)
  expect(difference(schemes, named, (name) => `docs/schemes/${name}.md`)).toEqual([])
  expect(schemePages.filter(({ page, schemes: [first] }) => page !== `${first}.md`)).toEqual([])
})

test('every scheme has a table of URLs', () => {
  const where = (name: string) => `test/protocols/NAME/urls/${name}.json`
  expect(difference(schemes, [...urlTables.keys()], where)).toEqual([])
})

test('every mechanism has its contract test', () => {
  const tests = readdirSync(new URL('test/protocols/', root)).filter((name) =>
    existsSync(new URL(`test/protocols/${name}/contract.test.ts`, root)),
  )
  expect(difference(mechanisms, tests, (name) => `test/protocols/${name}/contract.test.ts`)).toEqual([])
})

test('every mechanism has a line in AccessPlans', () => {
  const text = readFileSync(new URL('packages/core/src/plan.ts', root), 'utf8')
  const [, body = ''] = /interface AccessPlans \{(.*?)^\}/ms.exec(text) ?? []
  const planned = [...body.matchAll(/^ +(\w+):/gm)].map(([, name = '']) => name)
  // Schemes that only a gateway knows are not built in.
  const named = [...new Set<string>(builtinSchemes.map(({ mechanism }) => mechanism)), 'gateway']
  expect(difference(named, planned, (name) => `${name} in AccessPlans of packages/core/src/plan.ts`)).toEqual([])
})

test('the type of a representation knows the mechanism of each scheme that has another name', () => {
  const text = readFileSync(new URL('packages/fetchers/src/body/representation-of.ts', root), 'utf8')
  const [, body = ''] = /interface MechanismByScheme \{(.*?)^\}/ms.exec(text) ?? []
  const named = [...body.matchAll(/^ +'?([\w.]+)'?: '(\w+)'$/gm)].map(
    ([, scheme, mechanism]) => `${scheme}: ${mechanism}`,
  )
  // Services have no representation; messages lie anywhere; RTSP may lead to HTTP; help pages have no metadata.
  const wanted = builtinSchemes
    .filter(({ name, mechanism, handoff }) => name !== mechanism && handoff !== true)
    .filter(({ mechanism }) => !['message', 'rtsp', 'ghelp', 'irc'].includes(mechanism))
    .map(({ name, mechanism }) => `${name}: ${mechanism}`)
  expect(difference(wanted, named, (line) => `${line} in packages/fetchers/src/body/representation-of.ts`)).toEqual([])
})

test('what is forgotten is named', () => {
  expect(difference(['a', 'b'], ['b', 'c'], (name) => `${name}.md`)).toEqual([
    'missing: a.md',
    'belongs to nothing: c.md',
  ])
})
