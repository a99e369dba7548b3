/** The directions of imports, over the real graph: types count as code does. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The rooms that each room may import, from the top of the house: each is further down. */
const edges: Readonly<Record<string, readonly string[]>> = {
  cli: ['gateway', 'queue', 'doors', 'servers', 'core'],
  gateway: ['doors', 'core'],
  queue: ['doors', 'core'],
  record: ['doors', 'core'],
  doors: ['client', 'protocols', 'mirror', 'walk', 'body', 'wire', 'saving', 'kit', 'contract', 'core'],
  client: ['mirror', 'walk', 'body', 'wire', 'saving', 'kit', 'contract', 'core'],
  protocols: ['local', 'mime', 'wire', 'auth', 'programs', 'draft', 'kit', 'contract', 'core'],
  local: ['mime', 'wire', 'kit', 'contract', 'core'],
  mirror: ['walk', 'pages', 'body', 'saving', 'kit', 'contract', 'core'],
  walk: ['body', 'kit', 'contract', 'core'],
  pages: ['kit', 'contract', 'core'],
  mime: ['body', 'saving', 'kit', 'contract', 'core'],
  body: ['saving', 'kit', 'contract', 'core'],
  wire: ['auth', 'kit', 'contract', 'core'],
  saving: ['kit', 'contract', 'core'],
  auth: ['kit', 'contract', 'core'],
  programs: ['kit', 'contract', 'core'],
  draft: ['kit', 'contract', 'core'],
  kit: ['contract', 'core'],
  contract: ['core'],
  servers: [],
  core: [],
}

/** The packages of others, and the rooms that import them. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  'basic-ftp': ['protocols/ftp'],
  bullmq: ['queue'],
  'client-zip': ['gateway'],
  'get-east-asian-width': ['cli'],
  htmlparser2: ['kit', 'pages'],
  'http-cache-semantics': ['protocols/http'],
  'iconv-lite': ['mime'],
  ioredis: ['queue'],
  'p-queue': ['client'],
  picomatch: ['walk'],
  ssh2: ['protocols/sftp'],
  'tough-cookie': ['cli'],
  warcio: ['cli'],
  undici: ['protocols/http'],
}

/** The entries of our packages that others may import by name, each with its room. */
const doors: Readonly<Record<string, string>> = {
  '@retriever/core': 'core',
  '@retriever/core/internal': 'core',
  '@retriever/fetchers': 'doors',
  '@retriever/fetchers/ftp': 'doors',
  '@retriever/fetchers/gemini': 'doors',
  '@retriever/fetchers/http': 'doors',
  '@retriever/fetchers/internal': 'doors',
  '@retriever/fetchers/mime': 'doors',
  '@retriever/fetchers/pages': 'doors',
  '@retriever/fetchers/plugin': 'doors',
  '@retriever/gateway': 'gateway',
  '@retriever/queue': 'queue',
  '@retriever/servers': 'servers',
  '@retriever/servers/audit': 'servers',
}

interface Import {
  readonly path: string
  readonly specifier: string
}

const imports: readonly Import[] = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /^(packages\/\w+|test\/servers)\/src\/.*\.ts$/.test(path))
  .flatMap((path) => importsOf(readFileSync(join(root, path), 'utf8')).map((specifier) => ({ path, specifier })))

function importsOf(code: string): string[] {
  // An example in a comment is no import.
  const bare = code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return [...bare.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([@\w./-]+)'/g)].map(([, specifier = '']) => specifier)
}

/** The room of a file: a protocol is a room of its own, `protocols/ftp`; the list of them is `protocols`. */
function roomOf(path: string): string {
  const [, first = '', name = '', second = ''] =
    /^(?:packages\/)?(test\/servers|\w+)\/src\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? []
  // The servers stand alone; what records needs the client that it records.
  if (first === 'test/servers') return name === 'record' ? 'record' : 'servers'
  if (first !== 'fetchers') return first
  if (name === 'protocols' && !second.endsWith('.ts')) return `protocols/${second}`
  return name.endsWith('.ts') ? 'doors' : name
}

/** Why an import is wrong; null: it is right. */
function complaint({ path, specifier }: Import): string | null {
  if (specifier.startsWith('node:')) return roomOf(path) === 'core' ? 'core is pure' : null
  const from = roomOf(path)
  if (!specifier.startsWith('.')) {
    const door = doors[specifier]
    if (door !== undefined) return mayImport(from, door)
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''
    return libraries[name]?.includes(from) ? null : `${from} does not use ${name}`
  }
  const target = join(dirname(path), specifier)
  const to = roomOf(target)
  if (packageOf(path) !== packageOf(target)) return 'a package uses the doors of another'
  return from === to ? null : mayImport(from, to)
}

function packageOf(path: string): string {
  return path.replace(/\/src\/.*$/, '')
}

function mayImport(from: string, to: string): string | null {
  const own = from.replace(/\/.*/, '')
  const other = to.replace(/\/.*/, '')
  const isListed = from === 'protocols' && own === other
  return isListed || edges[own]?.includes(other) ? null : `${from} does not import ${to}`
}

test('each import leads down', () => {
  const wrong = imports.flatMap((each) => {
    const why = complaint(each)
    return why === null ? [] : [`${each.path} imports ${each.specifier}: ${why}`]
  })
  expect(imports.length).toBeGreaterThan(1_000)
  expect(wrong).toEqual([])
})

test('the table leads down, and each of its edges is used', () => {
  const order = Object.keys(edges)
  const used = new Set(imports.map(({ path, specifier }) => edgeOf(path, specifier)))
  const all = Object.entries(edges).flatMap(([from, rooms]) => rooms.map((to) => [from, to] as const))
  expect(all.filter(([from, to]) => order.indexOf(to) <= order.indexOf(from))).toEqual([])
  expect(
    all.filter(([from, to]) => !used.has(`${from} > ${to}`)).map(([from, to]) => `unused: ${from} > ${to}`),
  ).toEqual([])
})

function edgeOf(path: string, specifier: string): string {
  const to = doors[specifier] ?? (specifier.startsWith('.') ? roomOf(join(dirname(path), specifier)) : '')
  return `${roomOf(path).replace(/\/.*/, '')} > ${to.replace(/\/.*/, '')}`
}

test.each([
  ['packages/core/src/url/host.ts', 'node:net'],
  ['packages/core/src/url/host.ts', '@retriever/fetchers'],
  ['packages/core/src/schemes/ftp.ts', '../../../fetchers/src/kit/deadline.ts'],
  ['packages/fetchers/src/protocols/ftp/index.ts', '../http/index.ts'],
  ['packages/fetchers/src/protocols/ftp/index.ts', '../../client/client.ts'],
  ['packages/fetchers/src/client/registry.ts', '../protocols/index.ts'],
  ['packages/fetchers/src/protocols/ftp/index.ts', 'undici'],
  ['packages/fetchers/src/wire/framing/lines.ts', '../../protocols/ftp/index.ts'],
  ['packages/fetchers/src/wire/framing/lines.ts', '../../saving/save.ts'],
  ['packages/fetchers/src/kit/retry.ts', '../wire/transport/dial.ts'],
  ['packages/fetchers/src/saving/save.ts', '../client/client.ts'],
  ['packages/fetchers/src/client/client.ts', '@retriever/servers'],
  ['packages/cli/src/run.ts', '../../fetchers/src/client/client.ts'],
  ['packages/cli/src/run.ts', '@retriever/fetchers/gopher'],
  ['packages/cli/src/run.ts', 'bullmq'],
  ['packages/queue/src/queue.ts', '../../fetchers/src/index.ts'],
  ['packages/gateway/src/gateway.ts', '@retriever/queue'],
  ['test/servers/src/http/sites.ts', '@retriever/core'],
  ['test/servers/src/http/sites.ts', '../record/record.ts'],
  ['test/servers/src/record/record.ts', '../listener.ts'],
  ['test/servers/src/record/record.ts', '../../../../packages/fetchers/src/client/registry.ts'],
])('%s may not import %s', (path, specifier) => {
  expect(complaint({ path, specifier })).not.toBeNull()
})
