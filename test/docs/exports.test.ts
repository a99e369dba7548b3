/** docs/library/exports.md lists what the packages export, neither more nor less. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readPage } from './programs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readPage('docs/library/exports.md')
const entrances = ['packages/core', 'packages/fetchers', 'test/servers'].flatMap((folder) => entrancesOf(folder))

/** Each entrance of a package, and the source file behind it. */
function entrancesOf(folder: string): { entrance: string; source: string }[] {
  const { name, exports } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'))
  return Object.entries<string | { default: string }>(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const source = target.default.replace('./dist/', `${root}${folder}/src/`).replace(/\.js$/, '.ts')
    return [{ entrance: `${name}${path.slice(1)}`, source }]
  })
}

/** The names that a file exports, types too. Throws for an export that it cannot read. */
function exportsOf(source: string): string[] {
  return [...readFileSync(source, 'utf8').matchAll(/^export (.*)/gm)].flatMap(({ index, input, 1: rest = '' }) => {
    const list = /^export (?:type )?\{([^}]*)\}/.exec(input.slice(index))?.[1]
    if (list !== undefined) return list.split(',').map(nameOf).filter(Boolean)
    const name = /^(?:async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(rest)?.[1]
    if (name === undefined) throw new Error(`${source}: Cannot read "export ${rest}".`)
    return [name]
  })
}

/** `Name` of `Name`, `type Name` and `Other as Name`. */
const nameOf = (item: string): string => item.trim().split(' ').at(-1) ?? ''

/** The names in the first column of the table below the entrance's heading. */
function listed(entrance: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${entrance}\n`)) ?? ''
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell)
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}

test.each(entrances)('$entrance', ({ entrance, source }) => {
  expect(listed(entrance).toSorted()).toEqual(exportsOf(source).toSorted())
})

test('names no other entrance', () => {
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings.toSorted()).toEqual(entrances.map(({ entrance }) => entrance).toSorted())
})
