import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../packages/cli/dist/', import.meta.url))

/** The files of the bundle that a file loads at once: `import()` is left out. */
function loadedBy(file: string, loaded = new Map<string, string>()): ReadonlyMap<string, string> {
  if (loaded.has(file)) return loaded
  const text = readFileSync(file, 'utf8')
  loaded.set(file, text)
  for (const [, once, several] of text.matchAll(/^import ["'](\.[^"']+)["']|^\} from ["'](\.[^"']+)["']/gm)) {
    loadedBy(join(dirname(file), once ?? several ?? ''), loaded)
  }
  return loaded
}

test('the command starts without HTTP, FTP, News and their libraries: each is loaded when it is used', () => {
  const texts = [...loadedBy(join(dist, 'bin.js')).values()]
  expect(texts.length).toBeGreaterThan(5)
  const sources = texts.flatMap((text) =>
    [...text.matchAll(/^\/\/ (\S+\.(?:ts|js|cjs))$/gm)].map(([, path = '']) => path),
  )
  expect(sources).toContain('../core/src/resolve.ts')
  const heavy = /undici|basic-ftp|iconv-lite|htmlparser2|p-queue|fetchers\/src\/(http|ftp|nntp|gopher|mime)\/index\.ts/
  expect(sources.filter((path) => heavy.test(path))).toEqual([])
})

test('the library is loaded without the fetch of Node, which takes 30 ms', () => {
  const index = new URL('../../packages/fetchers/dist/index.js', import.meta.url).href
  const program = `import(${JSON.stringify(index)}).then(() => process.stdout.write(process.moduleLoadList.join(' ')))`
  const loaded = execFileSync(process.execPath, ['--eval', program], { encoding: 'utf8' })
  expect(loaded).toContain('internal/streams')
  expect(loaded).not.toContain('undici')
})
