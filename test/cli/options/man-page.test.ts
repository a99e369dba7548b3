/** The man page retrieve(1), made from the tables, as its package has it. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { commandNames, commandSpecs } from '../../../packages/cli/src/commands/index.ts'
import { examples } from '../../../packages/cli/src/help/examples.ts'
import { manPage } from '../../../packages/cli/src/help/man-page.ts'
import { topics } from '../../../packages/cli/src/help/topics.ts'
import { options } from '../../../packages/cli/src/options/index.ts'
import { useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = fileURLToPath(new URL('../../../packages/cli/', import.meta.url))
// npm links no page if `man` is one name and no list.
const {
  version,
  man: [man],
  files,
} = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
const path = `${folder}${man}`

/** Runs a program on the page; null if it is not installed. */
function run(
  program: string,
  ...args: readonly string[]
): { status: number | null; stdout: string; stderr: string } | null {
  const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '' }
  const { error, status, stdout, stderr } = spawnSync(program, [...args, path], { encoding: 'utf8', env })
  return error === undefined ? { status, stdout, stderr } : null
}

const isHere = (program: string): boolean => spawnSync(program, ['-h'], { stdio: 'ignore' }).error === undefined
const unless = (program: string): string => (isHere(program) ? '' : ` (not tested: ${program} is not installed here)`)

test('is in the package, and is made from the tables', () => {
  expect(files.some((name: string) => man.startsWith(`./${name}/`))).toBe(true)
  expect(existsSync(path)).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe(manPage(version))
})

test('has no line that roff would take for a request by mistake', () => {
  const known = /^\.(TH|nh|ad|SH|SS|TP|PP|br|BR)( |$)/
  const lines = manPage(version).split('\n')
  expect(lines.filter((line) => /^[.']/.test(line) && !known.test(line))).toEqual([])
})

test.skipIf(!isHere('man'))(`man shows it without a warning, at 80 columns${unless('man')}`, () => {
  const shown = run('man', '--warnings', '-P', 'cat', '-l')
  expect(shown).toMatchObject({ status: 0, stderr: '' })
})

test.skipIf(!isHere('mandoc'))(`mandoc finds nothing to warn of but the missing date${unless('mandoc')}`, () => {
  const warnings = run('mandoc', '-T', 'lint', '-W', 'warning')?.stdout.split('\n') ?? []
  expect(warnings.filter((line) => line !== '' && !line.includes('missing date'))).toEqual([])
})

describe.skipIf(!isHere('man'))(`as it is read${unless('man')}`, () => {
  const text = (run('man', '-P', 'cat', '-l')?.stdout ?? '').replace(/.\x08/g, '')
  const flat = text.replace(/\s+/g, ' ')

  test('has every option of the table, once and in its order, with its text and its example', () => {
    const tags = [...text.matchAll(/^ {7}(?:-(\S), )?--([\w.-]+)(?: (\S.*?))?(?: {2,}.*)?$/gm)]
    expect(tags.map(([, short, long]) => [short, long])).toEqual(options.map(({ short, long }) => [short, long]))
    const said = options.filter(
      ({ help, example }) => !flat.includes(squeezed(help)) || !flat.includes(squeezed(example)),
    )
    expect(said.map(({ long }) => long)).toEqual([])
  })

  test('has every command, topic and example', () => {
    for (const name of commandNames) expect(flat).toContain(squeezed(commandSpecs[name].help))
    for (const { title, rows } of topics) {
      expect(text).toContain(`\n${title.toUpperCase()}\n`)
      expect(rows.filter(([name, about]) => !flat.includes(name) || !flat.includes(squeezed(about)))).toEqual([])
    }
    expect(examples.filter(({ command }) => !flat.includes(squeezed(command)))).toEqual([])
  })
})

const squeezed = (text: string): string => text.replace(/\s+/g, ' ')
