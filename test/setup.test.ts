/** `npm start` and `npm test`: setup.mjs in a small project of its own, with an npx that writes down its calls. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

let project = ''

const { packages }: { packages: readonly string[] } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).config
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    type: 'module',
    engines: { node: '>=20.18.1' },
    config: { pnpm: '1.2.3', packages },
  }),
  'pnpm-lock.yaml': '',
  'pnpm-workspace.yaml': '',
  'tsconfig.json': '',
  'tsconfig.base.json': '',
  'chunks.mjs': '',
  'packages/cli/bundle.mjs': '',
  'packages/cli/lazy-imports.mjs': '',
  'packages/cli/light-undici.mjs': '',
  'examples/package.json': '',
  'test/package.json': '',
  ...Object.fromEntries(
    packages.flatMap((folder) =>
      ['package.json', 'tsconfig.json', 'src/sub/index.ts'].map((name) => [`${folder}/${name}`, '{}']),
    ),
  ),
}

const npx = `#!/bin/sh
echo "$*" >>calls
echo "some output of $3"
test ! -e fails || exit 4
case $3 in
install) mkdir -p node_modules/.pnpm ;;
build*) mkdir -p packages/cli/dist
  echo 'process.stdout.write([process.cwd(), ...process.argv.slice(2)].join(" "))' >packages/cli/dist/bin.js ;;
esac
`

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'retriever-setup-')))
  for (const [path, content] of Object.entries(files)) write(path, content)
  copyFileSync(fileURLToPath(new URL('../setup.mjs', import.meta.url)), join(project, 'setup.mjs'))
  write('bin/npx', npx)
  chmodSync(join(project, 'bin/npx'), 0o755)
})
afterEach(() => rmSync(project, { recursive: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), content)
}

/** Runs setup.mjs as npm does, called from the folder `docs`; with the calls of npx. */
function setup(...args: string[]): { status: number | null; stdout: string; stderr: string; calls: string[] } {
  const caller = join(project, 'docs')
  mkdirSync(caller, { recursive: true })
  write('calls', '')
  const { status, stdout, stderr } = spawnSync(process.execPath, ['setup.mjs', ...args], {
    cwd: project,
    env: { ...process.env, PATH: `${project}/bin:${process.env.PATH}`, INIT_CWD: caller },
    encoding: 'utf8',
  })
  const calls = readFileSync(join(project, 'calls'), 'utf8').trimEnd().split('\n')
  return { status, stdout, stderr, calls: calls.filter((call) => call !== '') }
}

const install = '-y pnpm@1.2.3 install --frozen-lockfile'
const build = '-y pnpm@1.2.3 build:packages'
const checkedBuild = '-y pnpm@1.2.3 build'

test('the first start installs, builds, says so, and runs the command in the folder of the caller', () => {
  const { status, stdout, stderr, calls } = setup('start', '-o', 'file', 'URL')
  expect({ status, stdout, calls }).toEqual({
    status: 0,
    stdout: `${project}/docs -o file URL`,
    calls: [install, build],
  })
  expect(stderr.split('\n')).toEqual([
    'setup: installing the packages; the first time, this takes a minute or two',
    expect.stringMatching(/^setup: done in [\d.]+ s$/),
    'setup: building',
    expect.stringMatching(/^setup: done in [\d.]+ s$/),
    '',
  ])
})

test('a later start does only what a change asks for', () => {
  setup('start')
  expect(setup('start')).toEqual({ status: 0, stdout: `${project}/docs demo`, stderr: '', calls: [] })
  write('packages/core/src/sub/index.ts', 'changed')
  expect(setup('start').calls).toEqual([build])
  write('packages/fetchers/src/new.ts', '')
  expect(setup('start').calls).toEqual([build])
  rmSync(join(project, 'packages/fetchers/src/new.ts'))
  expect(setup('start').calls).toEqual([build])
  for (const bundler of ['chunks.mjs', 'packages/cli/bundle.mjs', 'packages/cli/light-undici.mjs']) {
    write(bundler, 'changed')
    expect(setup('start').calls).toEqual([build])
  }
  write('pnpm-lock.yaml', 'changed')
  expect(setup('start').calls).toEqual([install, build])
  rmSync(join(project, 'packages/cli/dist'), { recursive: true })
  expect(setup('start').calls).toEqual([build])
  rmSync(join(project, 'node_modules'), { recursive: true })
  expect(setup('start').calls).toEqual([install, build])
  expect(setup('start').calls).toEqual([])
})

test('a step that fails is shown, ends it, and is done again the next time', () => {
  write('fails', '')
  const failed = setup('start')
  expect(failed).toMatchObject({ status: 4, stdout: '', calls: [install] })
  expect(failed.stderr).toContain('some output of install')
  rmSync(join(project, 'fails'))
  expect(setup('start').calls).toEqual([install, build])
})

test('npm test installs in the same way, builds, which checks the types of the tests too, and runs the tests', () => {
  expect(setup('test', 'core').calls).toEqual([install, checkedBuild, '-y pnpm@1.2.3 vitest --project=!slow core'])
  expect(setup('test').calls).toEqual([checkedBuild, '-y pnpm@1.2.3 vitest --project=!slow'])
  expect(setup('test:all').calls).toEqual([checkedBuild, '-y pnpm@1.2.3 vitest'])
})
