/** `pnpm release` in a small checkout of its own, with a pack.mjs and an executable.mjs that build nothing. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { packages }: { packages: readonly string[] } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
).config
const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
let checkout = ''

const pack = `
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
const [target] = process.argv.slice(2)
mkdirSync(target)
spawnSync('tar', ['-czf', target + '/retriever-core-1.2.3.tgz', 'package'])
`

const executable = `
import { mkdirSync, writeFileSync } from 'node:fs'
mkdirSync(process.argv[2])
writeFileSync(process.argv[2] + '/retrieve', 'a program')
`

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'retriever-release-'))
  cpSync(join(root, 'release.mjs'), join(checkout, 'release.mjs'))
  write('package.json', JSON.stringify({ version: '1.2.3', config: { packages } }))
  for (const folder of packages) {
    write(`${folder}/package.json`, JSON.stringify({ name: `@retriever/${folder.slice(-4)}`, version: '1.2.3' }))
  }
  write('pack.mjs', pack)
  write('packages/cli/executable.mjs', executable)
  write('packages/core/src/schemes/http/request.ts', "const userAgent = 'Retriever/1.2'")
  write('CHANGELOG.md', '# Changelog\n\n## 1.2.3\n\nNews.\n\n## 1.2.2\n')
  write('package/dist/index.js', 'export {}')
  write('.gitignore', 'release\n')
  git('init', '-q')
  commit()
})
afterEach(() => rmSync(checkout, { recursive: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true })
  writeFileSync(join(checkout, path), content)
}

function git(...args: readonly string[]): void {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.org']
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: checkout, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function commit(): void {
  git('add', '-A')
  git('commit', '-q', '-m', 'all')
}

function release(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['release.mjs', ...args], { cwd: checkout, env, encoding: 'utf8' })
}

test('a clean checkout gives what is to be published, its sums, and the steps that are left', () => {
  const { status, stdout, stderr } = release('1.2.3')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^retriever-core-1\.2\.3\.tgz: \d+ octets, \d+ files\n/)
  expect(stdout).toContain('Nothing is published.')
  expect(stdout.indexOf('retriever-core-1.2.3.tgz\n')).toBeGreaterThan(stdout.indexOf('npm publish'))
  const target = join(checkout, 'release')
  const isLinux = process.platform === 'linux' && process.arch === 'x64'
  const files = [...(isLinux ? ['retrieve-1.2.3-linux-x64.tar.gz'] : []), 'retriever-core-1.2.3.tgz']
  expect(readdirSync(target)).toEqual(['SHA256SUMS', ...files].sort())
  const sums = readFileSync(join(target, 'SHA256SUMS'), 'utf8')
  const sumOf = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(target, name)))
      .digest('hex')
  expect(sums).toBe(
    files
      .sort()
      .map((name) => `${sumOf(name)}  ${name}\n`)
      .join(''),
  )
})

test('a second release into the same folder is refused', () => {
  release('1.2.3')
  const { status, stderr } = release('1.2.3')
  expect(status).toBe(1)
  expect(stderr).toContain('is not empty: remove it.')
})

test.each<[string, string, () => void, readonly string[]]>([
  ['no version', '', () => {}, ['Usage: pnpm release VERSION [DIR], such as pnpm release 0.2.0']],
  [
    'another version than all say',
    '1.3.0',
    () => {},
    [
      'package.json has version 1.2.3: write 1.3.0.',
      ...packages.map((folder) => `${folder}/package.json has version 1.2.3: write 1.3.0.`),
      'The User-Agent in core is Retriever/1.2: write Retriever/1.3 wherever it stands.',
      'CHANGELOG.md begins with "1.2.3": its first section must be "1.3.0".',
    ],
  ],
  [
    'a change that is not committed',
    '1.2.3',
    () => appendFileSync(join(checkout, 'CHANGELOG.md'), 'more'),
    ['These files are not committed:', ' M CHANGELOG.md'],
  ],
  ['a tag that exists', '1.2.3', () => git('tag', 'v1.2.3'), ['There is a tag v1.2.3 already.']],
  [
    'a package with another version',
    '1.2.3',
    () => {
      write('packages/cli/package.json', '{ "version": "1.2.2" }')
      commit()
    },
    ['packages/cli/package.json has version 1.2.2: write 1.2.3.'],
  ],
])('%s is refused, and nothing is built', (_, version, change, reasons) => {
  change()
  const { status, stdout, stderr } = release(version)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr.trimEnd().split('\n')).toEqual([...reasons, 'Nothing was built.'])
  expect(readdirSync(checkout)).not.toContain('release')
})

test('a file that belongs into no package ends the release before anything is summed', () => {
  write('package/.env', 'SECRET=1')
  commit()
  const { status, stderr } = release('1.2.3')
  expect(status).toBe(1)
  expect(stderr).toContain('These files belong into no package: .env (retriever-core-1.2.3.tgz).')
  expect(readdirSync(join(checkout, 'release'))).not.toContain('SHA256SUMS')
})
