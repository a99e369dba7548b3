/** A journal that somebody has edited. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { type Outcome, retrieve, temporaryFolder } from '../../support/cli/run.ts'

const outer = temporaryFolder()
let asked: string[] = []
const server = listServer(({ url = '' }, response) => {
  asked.push(url)
  response.end(url)
})
let base = ''
beforeAll(() => {
  base = server()
})

let jail = ''
let cwd = ''
beforeEach(() => {
  asked = []
  jail = mkdtempSync(join(outer(), 'edited-'))
  cwd = mkdtempSync(join(jail, 'run-'))
})

const opened = { event: 'opened', at: '2026-01-01T00:00:00.000Z', version: 1, command: 'get', pid: 1, boot: null }
const failed = { code: 'not-found', message: 'gone', status: 404, exit: 22, again: null }
const done = { size: 3, sha256: null, etag: null, modified: null }

/** Runs the command with a journal that has this line on the URL, of a run that was killed. */
async function run(line: object, ...options: string[]): Promise<Outcome> {
  const { at } = opened
  const lines = [opened, { at, url: `${base}/a`, ...line }]
  writeFileSync(join(cwd, 'journal'), lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
  return retrieve([`${base}/a`, '--journal', 'journal', '-s', ...options], { cwd })
}

test.each([
  ['-O', 'a'],
  ['-O -J', null],
  ['-O --output-dir out --create-dirs', 'out/a'],
  ['-O --output-dir out --create-dirs --layout host', null],
  ['-o b', 'b'],
])('with %s, no name of it leads to a file that the command would not write', async (options, own) => {
  const victim = join(jail, 'victim')
  for (const file of [victim, '../victim', '.bashrc', 'other', '../new', 'sub/../../victim', '']) {
    for (const event of [{ event: 'done', ...done }, { event: 'begun' }, { event: 'failed', ...failed, again: '' }]) {
      writeFileSync(victim, 'mine')
      await run({ ...event, file }, ...options.split(' '), '--clobber')
      expect(readFileSync(victim, 'utf8')).toBe('mine')
      expect(readdirSync(jail)).toHaveLength(2)
      // With -J the server may give any name, and so may the journal.
      expect(existsSync(join(cwd, '.bashrc')) || (!options.includes('-J') && existsSync(join(cwd, 'other')))).toBe(
        false,
      )
      if (own !== null) expect(readFileSync(join(cwd, own), 'utf8')).toBe('/a')
    }
  }
})

test('a name with a number, which an earlier URL has caused, is kept', async () => {
  expect((await run({ event: 'begun', file: 'a.1' }, '-O')).status).toBe(0)
  expect(readFileSync(join(cwd, 'a.1'), 'utf8')).toBe('/a')
})

test.each([{ exit: 'evil' }, { exit: 0 }, { exit: 256 }, { message: 7 }, { status: 'z' }, { again: 7 }, { code: 'x' }])(
  'a failure with %j is damaged: the URL is asked for again',
  async (edited) => {
    const { status } = await run({ event: 'failed', ...failed, file: null, ...edited }, '-O')
    expect({ status, asked }).toEqual({ status: 0, asked: ['/a'] })
  },
)

test.each([{ size: 'x' }, { sha256: 7 }, { file: 7 }])('so is a line of a file with %j', async (edited) => {
  await run({ event: 'done', ...done, file: 'a', ...edited }, '-O')
  expect(asked).toEqual(['/a'])
})
