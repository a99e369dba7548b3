/** How the sources are arranged and written, as far as a program can tell. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '')
const sources = files.filter((path) => /^packages\/\w+\/src\/.*\.ts$/.test(path))
const code = files.filter((path) => /\.(ts|mts|mjs)$/.test(path))
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8')

test('no folder of packages/ has more than 20 files, core/src/schemes apart', () => {
  const counts = new Map<string, number>()
  for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const full = [...counts].filter(([folder, count]) => count > 20 && folder !== 'packages/core/src/schemes')
  expect(full).toEqual([])
})

/** Private words that were file names once, and the words of the field that took their place. */
const retired: Readonly<Record<string, string>> = {
  ahead: 'prefetched-port',
  'asked-login': 'ask-credentials',
  asking: 'exchange',
  'cache-inquiry': 'cache-lookup',
  carrier: 'tls-end-detector',
  changed: 'if-modified',
  converse: 'send-request',
  'event-secrets': 'redact-events',
  exhibits: 'demo-cases',
  flight: 'pipeline',
  'form-desk': 'form-prompt',
  habits: 'server-quirks',
  inflow: 'byte-source',
  intake: 'ring-reader',
  lifetime: 'abort-scope',
  opening: 'socket-opened',
  order: 'command-queue',
  owned: 'copy-chunks',
  patience: 'reply-timeout',
  places: 'connection-slots',
  refused: 'nntp-errors',
  submitted: 'submit-form',
  'wanted-parts': 'part-options',
  wishes: 'request-options',
}

test('no file of packages/ has a name that has been retired', () => {
  const names = sources.map((path) => [path, retired[basename(path, '.ts')]] as const)
  expect(names.filter(([, better]) => better !== undefined).map(([path, better]) => `${path}: say ${better}`)).toEqual(
    [],
  )
})

test('lines of comments keep to 120 characters, as those of code do', () => {
  expect(code.flatMap((path) => longLines(path, /^\s*(\/\/|\/\*|\*)/))).toEqual([])
})

test('lines of Markdown keep to 120 characters, except tables, links that stand alone, and blocks of code', () => {
  const markdown = files.filter((path) => path.endsWith('.md'))
  expect(markdown.flatMap((path) => longLines(path, /^(?!\s*\|)(?!\s*(- )?\S+$)/))).toEqual([])
})

function longLines(path: string, kind: RegExp): string[] {
  let isCode = false
  return read(path)
    .split('\n')
    .flatMap((line, index) => {
      if (line.trimStart().startsWith('```')) isCode = !isCode
      return line.length > 120 && !isCode && kind.test(line) ? [`${path}:${index + 1}`] : []
    })
}

test('no code asks URL.canParse, which refuses Latin-1 letters once Node 20 has optimised it', () => {
  const asking = [...sources, ...code.filter((path) => path.startsWith('test/servers/src'))].filter((path) =>
    /^[^*]*\bURL\.canParse\(/m.test(read(path)),
  )
  expect(asking).toEqual([])
})

/**
 * The public entry of undici loads in 55 ms, its client's file in 17. That of basic-ftp loads a client of its own; its
 * context alone loads 7 ms sooner. That of htmlparser2 has a DOM, and that of iconv-lite tables of what TextDecoder
 * knows: 30 and 170 KB of a bundle. Other tests prove that these files export what the public entries do.
 */
const internals: readonly string[] = [
  'basic-ftp/dist/FtpContext.js',
  'basic-ftp/dist/parseList.js',
  'htmlparser2/WritableStream',
  ...['internal', 'sbcs-codec', 'sbcs-data-generated', 'sbcs-data', 'utf16', 'utf32', 'utf7'].map(
    (name) => `iconv-lite/encodings/${name}.js`,
  ),
  'undici/lib/dispatcher/client.js',
]

test("no source imports a package's internals, but for these, each in one file", () => {
  const imports = sources.flatMap((path) =>
    [...read(path).matchAll(/(?:from|import\(|declare module) ?'((?:@[\w-]+\/)?[\w-]+\/[^'*]+)'/g)].map(
      ([, name = '']) => [path, name],
    ),
  )
  const internal = imports.filter(
    ([, name = '']) => !/^(node:|@retriever\/)/.test(name) && !/^@[\w-]+\/[\w-]+$/.test(name),
  )
  expect([...new Set(internal.map(([, name]) => name))].sort()).toEqual(internals)
  expect(internal.filter(([path = '']) => !path.endsWith('.d.ts'))).toHaveLength(internals.length)
})
