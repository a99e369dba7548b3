/** The docstring of each export is its documentation: editors show it. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = ['packages/core', 'packages/fetchers', 'packages/queue', 'packages/gateway', 'test/servers'].flatMap(
  (folder) => sourcesOf(folder),
)

/** Names that say all themselves, or whose fields have docstrings. Types called `...Options` are such, too. */
const plain = new Set([
  ...['AccessPlan', 'ErrorCode', 'ErrorDetails', 'Explained', 'FindingCode', 'HttpPlan', 'Mechanism', 'Part'],
  ...['Refusal', 'Unexplained', 'callback', 'count', 'flag', 'milliseconds', 'text', 'texts'],
])

/** The source file behind each public entrance of a package. */
function sourcesOf(folder: string): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'))
  return Object.values<string | { default: string }>(exports).flatMap((target) =>
    typeof target === 'string' || target.default.endsWith('/internal.js')
      ? []
      : [target.default.replace('./dist/', `${root}${folder}/src/`).replace(/\.js$/, '.ts')],
  )
}

/** The names that a file exports, types too, each with the file that it comes from and its name there. */
function exportsOf(source: string): { name: string; own: string; from: string }[] {
  const text = readFileSync(source, 'utf8')
  return [...text.matchAll(/^export (.*)/gm)].flatMap(({ index, 1: rest = '' }) => {
    const [, list, path] = /^export (?:type )?\{([^}]*)\}(?: from '(\..*?)')?/.exec(text.slice(index)) ?? []
    if (list !== undefined) {
      const from = path === undefined ? source : fileURLToPath(new URL(path, `file://${source}`))
      return list.split(',').flatMap((item) => {
        const [own = '', name = own] = item
          .replace(/^\s*(?:type )?/, '')
          .trim()
          .split(' as ')
        return own === '' ? [] : [{ name, own, from }]
      })
    }
    const name = /^(?:async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(rest)?.[1]
    if (name === undefined) throw new Error(`${source}: Cannot read "export ${rest}".`)
    return [{ name, own: name, from: source }]
  })
}

/** Whether the declaration of a name has a docstring, in this file or in the one that it is exported from. */
function hasDocstring(name: string, source: string): boolean {
  const text = readFileSync(source, 'utf8')
  const kinds = '(?:async )?(?:function\\*?|const|class|interface|type)'
  const at = text.search(new RegExp(`^(?:export )?${kinds} ${name}\\b`, 'm'))
  if (at >= 0) return text.slice(0, at).trimEnd().endsWith('*/')
  const [, list = '', path] =
    [...text.matchAll(/^(?:export|import) (?:type )?\{([^}]*)\} from '(\..*?)'/gm)].find(([, names = '']) =>
      new RegExp(`\\b${name}\\b`).test(names),
    ) ?? []
  if (path === undefined) throw new Error(`${source}: Cannot find ${name}.`)
  const own = new RegExp(`(\\w+) as ${name}\\b`).exec(list)?.[1] ?? name
  return hasDocstring(own, fileURLToPath(new URL(path, `file://${source}`)))
}

test.each(sources.map((source) => [source.slice(root.length), source]))('%s', (_, source) => {
  expect(existsSync(source)).toBe(true)
  const found = exportsOf(source)
  expect(found.length).toBeGreaterThan(0)
  const silent = found.filter(({ own, from }) => !hasDocstring(own, from)).map(({ name }) => name)
  expect(silent.filter((name) => !plain.has(name) && !name.endsWith('Options'))).toEqual([])
})

test.each([
  ['core', 45],
  ['fetchers', 60],
])('the index of %s has %i names at most', (name, most) => {
  const names = new Set(exportsOf(`${root}packages/${name}/src/index.ts`).map((each) => each.name))
  expect(names.size).toBeLessThanOrEqual(most)
})
