import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { options } from '../../../packages/cli/src/options/index.ts'
import { exitCodesPage } from '../../docs/tables.ts'
import { retrieve, temporaryFolder } from '../../support/cli/run.ts'
import { runs } from '../../support/runs.ts'

const folder = temporaryFolder()
beforeAll(() => {
  mkdirSync(join(folder(), 'folder'))
  writeFileSync(join(folder(), 'file'), 'text\n')
})

/** Options that have other URLs retrieved than the one of the test, or run a program. */
const left = ['url', 'next', 'from', 'config', 'handoff', 'extract']
const tried = options.filter(({ long, commands }) => (commands?.includes('get') ?? true) && !left.includes(long))
/** None of them has standard input read. */
const values = [
  '',
  '0',
  '-1',
  '1e400',
  '99999999999999999999',
  'file',
  'folder',
  'none/x',
  '@file',
  '@none',
  '%',
  'a:b',
]
const more = ['[', '{a,b}', '\0', '\ud800', 'x\ny', 'ftp://h/x', 'k=v', '1-2', '2001-02-03', '*', '..', '"']
const long = fc.constantFrom(...tried.map((option) => option.long))
const word = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(long, fc.constantFrom(...values, ...more)).map((two) => `--${two.join('=')}`) },
  long.map((name) => `--${name}`),
  fc.constantFrom(...tried.flatMap(({ short }) => (short === undefined || short === 'K' ? [] : [`-${short}`]))),
)
const statuses = new Set([...exitCodesPage().matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status)))

test('property 22: any options end in an exit status of the table, and no stack is shown', async () => {
  const line = fc.array(word, { minLength: 1, maxLength: 3 })
  const property = fc.asyncProperty(line, async (words) => {
    const argv = ['get', ...words, '--proto==data', 'data:,x']
    const { status, stdout, stderr } = await retrieve(argv, { cwd: folder() })
    expect(statuses).toContain(status)
    expect(stdout + stderr).not.toMatch(/\n +at .*:\d+:\d+|TypeError|RangeError|a defect/)
  })
  await fc.assert(property, { numRuns: runs(3200) })
})
