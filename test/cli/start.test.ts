import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bin, useBundle } from '../support/cli/run.ts'

useBundle()

/** The source files that a command line loads, by the comments of esbuild, and the modules of Node. */
function loadedBy(...args: readonly string[]): { sources: string[]; modules: string[] } {
  const list = '[...Object.keys(require.cache), ...process.moduleLoadList]'
  const program = `process.argv = [process.execPath, ...process.argv.slice(1)]
    process.on('exit', () => require('node:fs').writeSync(2, JSON.stringify(${list})))
    require(process.argv[1])`
  const shell = `exec "$0" --eval "$1" "$2" "\${@:3}" 2>&1 >/dev/null`
  const text = execFileSync('bash', ['-c', shell, process.execPath, program, bin, ...args], { encoding: 'utf8' })
  const names: string[] = JSON.parse(text)
  const files = names.filter((name) => name.startsWith('/'))
  return {
    sources: files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^\/\/! (\S+\.(?:ts|js|cjs))$/gm)].map(([, path = '']) => path),
    ),
    modules: names.filter((name) => name.startsWith('NativeModule ')).map((name) => name.slice('NativeModule '.length)),
  }
}

/** What only retrievals need, each its own part. */
const heavy = /undici|basic-ftp|iconv-lite|htmlparser2|p-queue|fetchers\/src\/(http|ftp|nntp|gopher|mime)\/index\.ts/
const heavyModules = ['crypto', 'tls', 'http', 'http2', 'zlib', 'fs/promises', 'readline', 'child_process', 'v8']

test('explain loads no mechanism, no library, and no part of Node that only connections need', () => {
  const { sources, modules } = loadedBy('explain', 'http://www.example.org/')
  expect(sources).toContain('../core/src/resolve.ts')
  expect(sources.filter((path) => heavy.test(path))).toEqual([])
  expect(modules).toContain('events')
  expect(modules.filter((name) => heavyModules.includes(name))).toEqual([])
})

test('--version loads neither the table of schemes nor the library', () => {
  const { sources, modules } = loadedBy('--version')
  expect(sources).toContain('src/main.ts')
  expect(sources.filter((path) => /core\/src\/schemes\/index|fetchers\/src\/client/.test(path))).toEqual([])
  expect(modules.filter((name) => heavyModules.includes(name))).toEqual([])
})

test('the library is loaded without the fetch of Node, which takes 30 ms', () => {
  const index = new URL('../../packages/fetchers/dist/index.js', import.meta.url).href
  const program = `import(${JSON.stringify(index)}).then(() => process.stdout.write(process.moduleLoadList.join(' ')))`
  const loaded = execFileSync(process.execPath, ['--eval', program], { encoding: 'utf8' })
  expect(loaded).toContain('internal/streams')
  expect(loaded).not.toContain('undici')
})
