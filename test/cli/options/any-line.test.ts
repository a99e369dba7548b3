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

/** Options by name, half of them with a value, and what else may stand in a line. None of them reads standard input. */
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
const more = [
  'http',
  '[',
  '{a,b}',
  '\0',
  '\ud800',
  'x\ny',
  'ftp://h/x',
  'data:,x',
  'k=v',
  '1-2',
  '2001-02-03',
  '*',
  '..',
]
const word = fc.oneof(
  fc.constantFrom(...options.map(({ long }) => `--${long}`)),
  fc
    .tuple(fc.constantFrom(...options.map(({ long }) => long)), fc.constantFrom(...values))
    .map((two) => `--${two.join('=')}`),
  fc.constantFrom(...options.flatMap(({ short }) => (short === undefined ? [] : [`-${short}`]))),
  fc.constantFrom(...values, ...more),
  fc.string({ maxLength: 5 }).filter((text) => !/^-$|^@-$/.test(text)),
)
const statuses = new Set([...exitCodesPage().matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status)))

test('property 22: any options explain, or are refused in a sentence with an exit status of the table', async () => {
  const line = fc.array(word, { maxLength: 6 })
  const property = fc.asyncProperty(line, async (words) => {
    const { status, stdout, stderr } = await retrieve(['explain', ...words, 'http://h/'], { cwd: folder() })
    expect(statuses).toContain(status)
    expect(stdout + stderr).not.toMatch(/\n +at .*:\d+:\d+|TypeError|RangeError|a defect/)
    if (status !== 0)
      expect((stdout + stderr).trim() + words.filter((text) => /^-(s|-silent)/.test(text)).join()).not.toBe('')
  })
  await fc.assert(property, { numRuns: runs(800) })
})
