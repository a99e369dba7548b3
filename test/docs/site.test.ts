/** The web site that `pnpm run site` makes of the pages. */
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { buildSite } from '../../docs/site/build.mjs'
import { temporaryFolder } from '../support/cli/run.ts'

const folder = temporaryFolder()

test('every link of the site leads to a page and a heading of it, and every page is reached', () => {
  const count = buildSite(folder())
  const files = readdirSync(folder(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ parentPath, name }) => posix.relative(folder(), posix.join(parentPath, name)))
  const texts = new Map(names.map((name) => [name, readFileSync(posix.join(folder(), name), 'utf8')]))
  const links = names
    .filter((name) => name.endsWith('.html'))
    .flatMap((page) =>
      [...(texts.get(page) ?? '').matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to = '']) => ({ page, to })),
    )
    .filter(({ to }) => !/^(https?|mailto):/.test(to))
  expect(links.length).toBeGreaterThan(3000)
  const targets = links.map(({ page, to }) => {
    const [path = '', id] = to.split('#')
    const target = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path))
    return { page, to, target, id }
  })
  const isBroken = ({ target, id }: { target: string; id: string | undefined }): boolean =>
    !texts.has(target) || (id !== undefined && !texts.get(target)?.includes(` id="${id}"`))
  expect(targets.filter(isBroken)).toEqual([])
  expect(names.filter((name) => !targets.some(({ target }) => target === name))).toEqual([])
  // The style sheet is no page.
  expect(names).toHaveLength(count + 1)
})

test('a page has its title, the picture, and tables that are scrolled by themselves', () => {
  buildSite(folder())
  const start = readFileSync(`${folder()}/index.html`, 'utf8')
  expect(start).toContain('<title>Retriever</title>')
  expect(start).toContain('src="docs/screen.svg"')
  expect(readFileSync(`${folder()}/docs/curl.html`, 'utf8')).toContain('<div class="table"><table>')
  expect(readFileSync(`${folder()}/docs/cookbook/links.sh.html`, 'utf8')).toContain(
    'retrieve check --retry 0 -m 20 &quot;$1&quot;',
  )
})
