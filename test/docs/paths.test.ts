/** CONTRIBUTING.md names files and folders as its map does: short, from the folder of a package on. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).trim()
const paths = files.split('\n').map((file) => `/${file}`)

test('every file and folder that CONTRIBUTING.md names is there', () => {
  const spans = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  const named = spans.filter((text) => /^[\w./<>-]+$/.test(text) && /\/|\.(ts|json|md)$/.test(text))
  expect(named.length).toBeGreaterThan(50)
  // `<scheme>` and `<mechanism>` stand for names, and `./<mechanism>` is an export.
  const concrete = named.filter((text) => !text.includes('<'))
  expect(concrete.filter((text) => !paths.some((path) => leadsTo(path, text)))).toEqual([])
})

function leadsTo(path: string, text: string): boolean {
  const end = text.replace(/\/$/, '')
  return path.endsWith(`/${end}`) || path.includes(`/${end}/`)
}

test('every module of the command that its row of the map lists is there', () => {
  const [, row = ''] = /^\| `packages\/cli\/src` \|(.*)\|$/m.exec(page) ?? []
  const names = [...row.matchAll(/`([\w-]+)`/g)].map(([, name]) => `/packages/cli/src/${name}.ts`)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !paths.includes(name))).toEqual([])
})
