import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtinMechanisms } from '@retriever/fetchers'
import { afterAll, expect, test } from 'vitest'

const repository = fileURLToPath(new URL('..', import.meta.url))
const { $schema: _schema, vcs: _vcs, ...config } = JSON.parse(readFileSync(join(repository, 'biome.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'retriever-imports-'))
writeFileSync(join(folder, 'biome.json'), JSON.stringify(config))
afterAll(() => rmSync(folder, { recursive: true }))

/** Whether lint lets a file of that place import this; asked in a folder that has our rules and nothing else. */
function allowed(place: string, specifier: string): boolean {
  mkdirSync(join(folder, place), { recursive: true })
  const file = join(folder, place, 'example.ts')
  writeFileSync(file, `import { x } from '${specifier}'\n\nexport const y: unknown = x\n`)
  const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome')
  const { status, stderr } = spawnSync(process.execPath, [biome, 'lint', '--error-on-warnings', file], {
    cwd: folder,
    encoding: 'utf8',
  })
  const refused = stderr.includes('noRestrictedImports')
  expect({ status, stderr }).toMatchObject({ status: refused ? 1 : 0 })
  return !refused
}

test.each([
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
])('%s does not import %s', (place, specifier) => {
  expect(allowed(place, specifier)).toBe(false)
})

test.each([
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
])('%s may import %s', (place, specifier) => {
  expect(allowed(place, specifier)).toBe(true)
})

test.each(builtinMechanisms)('the mechanism %s is kept apart by the rules', (name) => {
  const place = `packages/fetchers/src/${name}`
  for (const other of ['client/client.ts', 'result/save.ts', 'mime/message.ts', 'another/index.ts']) {
    expect(allowed(place, `../${other}`)).toBe(false)
    expect(allowed(`${place}/room`, `../../${other}`)).toBe(false)
  }
})
