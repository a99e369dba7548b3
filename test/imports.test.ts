import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtinMechanisms } from '@retriever/fetchers'
import { afterAll, beforeAll, expect, test } from 'vitest'

const repository = fileURLToPath(new URL('..', import.meta.url))
const { $schema: _schema, vcs: _vcs, ...config } = JSON.parse(readFileSync(join(repository, 'biome.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'retriever-imports-'))
writeFileSync(join(folder, 'biome.json'), JSON.stringify(config))
afterAll(() => rmSync(folder, { recursive: true }))

type Import = readonly [place: string, specifier: string]

const refused: readonly Import[] = [
  ['packages/core/src', 'node:fs'],
  ['packages/core/src', 'node:fs/promises'],
  ['packages/core/src', '@retriever/fetchers'],
  ['packages/core/src/schemes', '../../../fetchers/src/client/client.ts'],
  ['packages/fetchers/src', '../../cli/src/main.ts'],
  ['packages/fetchers/src/wire', '../index.ts'],
  ['packages/fetchers/src/wire', '@retriever/fetchers'],
  ['packages/fetchers/src/ftp', '../index.ts'],
  ['packages/fetchers/src/ftp', '../http/index.ts'],
  ['packages/fetchers/src/ftp', '../result/save.ts'],
  ['packages/fetchers/src/ftp/control', '../../client/client.ts'],
  ['packages/fetchers/src/ftp/control', '../../http/index.ts'],
  ['packages/fetchers/src/http/cache', '../../result/save.ts'],
  ['packages/fetchers/src/wire/transport', '../../result/save.ts'],
  ['packages/fetchers/src/wire/transport', '../../ftp/index.ts'],
  ['packages/fetchers/src/plugin', '../wire/transport/socket.ts'],
  ['packages/fetchers/src/auth', '../http/index.ts'],
  ['packages/fetchers/src/result', '../client/client.ts'],
  ['packages/fetchers/src/client', '../../../cli/src/main.ts'],
  ['packages/fetchers/src/client/batch', '../../../../cli/src/main.ts'],
  ['packages/fetchers/src/tree', '../client/client.ts'],
  ['packages/fetchers/src/tree', '../gopher/index.ts'],
  ['packages/fetchers/src/ftp', '../../../cli/src/main.ts'],
  ['packages/fetchers/src/ftp', '@retriever/fetchers'],
  ['packages/fetchers/src/nntp', '../mime/message.ts'],
  ['packages/fetchers/src/mime', '../client/client.ts'],
  ['packages/fetchers/src/mime', '../nntp/index.ts'],
  ['packages/cli/src', '@retriever/fetchers/gopher'],
  ['packages/cli/src/commands', '../../../fetchers/src/client/client.ts'],
  ['test/servers/src', '@retriever/core'],
]

const accepted: readonly Import[] = [
  ['packages/core/src/schemes', '../host.ts'],
  ['packages/fetchers/src/wire', '../plugin/fetcher.ts'],
  ['packages/fetchers/src/ftp', '../wire/framing/lines.ts'],
  ['packages/fetchers/src/ftp/control', '../../wire/framing/lines.ts'],
  ['packages/fetchers/src/ftp/control', '../transfer/data.ts'],
  ['packages/fetchers/src/http/cache', '../../plugin/fetcher.ts'],
  ['packages/fetchers/src/wire/transport', '../../plugin/fetcher.ts'],
  ['packages/fetchers/src/client', '../result/representation.ts'],
  ['packages/fetchers/src/ftp', 'node:fs/promises'],
  ['packages/fetchers/src/ftp', '@retriever/core'],
  ['packages/fetchers/src/mime', '../plugin/text/text.ts'],
  ['packages/fetchers/src/nntp', '../mime/entries.ts'],
  ['packages/cli/src', '@retriever/fetchers'],
  ['test/servers/src/ftp', '../lines.ts'],
  ['test/servers/src', 'node:fs/promises'],
]

/** What no mechanism imports, whatever its name is. */
const apart = (mechanism: string): readonly Import[] =>
  ['client/client.ts', 'result/save.ts', 'mime/message.ts', 'another/index.ts'].flatMap((other) => [
    [`packages/fetchers/src/${mechanism}`, `../${other}`],
    [`packages/fetchers/src/${mechanism}/room`, `../../${other}`],
  ])

/** One start of the linter judges all imports, in a folder that has our rules and one file for each import. */
const imports = [...refused, ...accepted, ...builtinMechanisms.flatMap(apart)]
const fileOf = ([place, specifier]: Import): string => `${place}/${specifier.replace(/\W+/g, '_')}.ts`
let complaints: ReadonlyMap<string, readonly string[]>

beforeAll(() => {
  for (const each of imports) {
    mkdirSync(join(folder, each[0]), { recursive: true })
    writeFileSync(join(folder, fileOf(each)), `import { x } from '${each[1]}'\n\nexport const y: unknown = x\n`)
  }
  const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome')
  const line = [biome, 'lint', '--error-on-warnings', '--max-diagnostics=none', '--reporter=json']
  const { stdout } = spawnSync(process.execPath, line, { cwd: folder, encoding: 'utf8' })
  const found = new Map<string, string[]>(imports.map((each) => [fileOf(each), []]))
  for (const { category, location } of JSON.parse(stdout).diagnostics) found.get(location.path)?.push(category)
  complaints = found
})

test.each(refused)('%s does not import %s', (...each) => {
  expect(complaints.get(fileOf(each))).toEqual(['lint/style/noRestrictedImports'])
})

test.each(accepted)('%s may import %s', (...each) => {
  expect(complaints.get(fileOf(each))).toEqual([])
})

test.each(builtinMechanisms)('the mechanism %s is kept apart by the rules', (name) => {
  for (const each of apart(name)) expect(complaints.get(fileOf(each))).toEqual(['lint/style/noRestrictedImports'])
})
