/**
 * The six packages as users get them: packed, unpacked into a project of their own, compiled and run there. Their
 * dependencies are links to those of this checkout, so that no test needs a registry; .ci/run also installs them by
 * npm.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'retriever-package-'))
const packed = join(folder, 'tarballs')
const project = join(folder, 'project')
const program = (name: string): string => join(root, 'node_modules/.bin', name)
const retrieve = join(project, 'node_modules/@retriever/cli/dist/bin.js')
const runner = process.env.npm_execpath ?? ''
let tarballs: string[] = []

/** Standard output of a program; an Error with all that it printed where it fails. */
function run(file: string, args: readonly string[], cwd: string = project): string {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: status ${status}\n${stdout}${stderr}`)
  return stdout
}

function unpack(tarball: string): void {
  const scratch = mkdtempSync(join(folder, 'unpacked-'))
  run('tar', ['-xf', tarball], scratch)
  const { name, dependencies = {} } = JSON.parse(readFileSync(join(scratch, 'package/package.json'), 'utf8'))
  cpSync(join(scratch, 'package'), join(project, 'node_modules', name), { recursive: true })
  for (const dependency of Object.keys(dependencies)) {
    if (!dependency.startsWith('@retriever/'))
      link(dependency, join(root, 'packages', basename(name), 'node_modules', dependency))
  }
}

function link(name: string, target: string): void {
  const place = join(project, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(realpathSync(target), place)
}

beforeAll(() => {
  if (!/pnpm/.test(runner)) return
  run(process.execPath, [join(root, 'pack.mjs'), packed, '--built'], root)
  tarballs = readdirSync(packed).map((name) => join(packed, name))
  for (const tarball of tarballs) unpack(tarball)
  link('@types/node', join(root, 'node_modules/@types/node'))
  cpSync(fileURLToPath(new URL('user.ts', import.meta.url)), join(project, 'user.ts'))
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', type: 'module', private: true }))
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true }))

if (!/pnpm/.test(runner)) process.stdout.write('Not run: the tarballs are packed by pnpm: pnpm vitest test/package\n')

describe.runIf(/pnpm/.test(runner))('the tarballs', () => {
  test('six packages are packed, each with what a reader looks for', () => {
    expect(tarballs).toHaveLength(6)
    for (const tarball of tarballs) {
      const files = execFileSync('tar', ['-tf', tarball], { encoding: 'utf8' }).split('\n')
      expect(files).toEqual(expect.arrayContaining(['package/README.md', 'package/LICENSE', 'package/package.json']))
      expect(execFileSync('tar', ['-xOf', tarball, 'package/package.json'], { encoding: 'utf8' })).not.toMatch(
        /"(workspace|catalog):/,
      )
    }
  })

  describe('a strict TypeScript user', () => {
    const compilers = { ours: program('tsc'), '5.2': join(root, 'test/node_modules/typescript-5.2/bin/tsc') }
    test.each([
      ['ours', 'node16', 'node16'],
      ['ours', 'nodenext', 'nodenext'],
      ['ours', 'esnext', 'bundler'],
      ['5.2', 'node16', 'node16'],
    ] as const)(
      'compiles without skipLibCheck: TypeScript %s, module %s, resolution %s',
      {
        timeout: 60_000,
      },
      (version, module, resolution) => {
        const kind = ['--module', module, '--moduleResolution', resolution]
        const rest = '--noEmit --strict --skipLibCheck false --target es2022 --lib es2023 --types node'.split(' ')
        expect(run(compilers[version], [...rest, ...kind, 'user.ts'])).toBe('')
      },
    )

    test('runs', { timeout: 60_000 }, () => {
      run(program('tsc'), '--strict --target es2023 --lib es2023 --types node --module nodenext user.ts'.split(' '))
      expect(run(process.execPath, ['user.js']).split('\n')).toEqual([
        'Hello, world.',
        'Hello, world.',
        'ftp function function',
        'application/json /pub/hello.txt string,/items/7 string',
        'invalid-option function',
        'proxied',
        'true',
        '',
      ])
    })
  })

  test('the command runs', () => {
    expect(run(process.execPath, [retrieve, '--version'])).toMatch(/^Retriever \d|^retrieve \d|\d+\.\d+/)
    expect(run(process.execPath, [retrieve, 'explain', 'ftp://h/x'])).toContain('RETR x')
  })

  test('every entry resolves to types and code of one kind', { timeout: 120_000 }, () => {
    for (const tarball of tarballs) {
      if (!tarball.includes('retriever-cli'))
        run(program('attw'), [tarball, '--profile', 'esm-only', '--no-emoji'], folder)
    }
  })

  test('npm pack refuses, and says what to do', () => {
    // pnpm, which may run this test, gives its own name to the programs that it starts.
    const { npm_config_user_agent: _, ...env } = process.env
    const options = { cwd: join(root, 'packages/core'), encoding: 'utf8', env } as const
    const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], options)
    expect(status).not.toBe(0)
    expect(stderr).toContain('Run `pnpm tarballs DIR`.')
  })
})
