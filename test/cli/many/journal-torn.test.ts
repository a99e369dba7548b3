/** A journal whose last line was torn by a power failure, at each of its octets. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { retrieve, temporaryFolder } from '../../support/cli/run.ts'

const outer = temporaryFolder()
let asked: string[] = []
const server = listServer(({ url = '' }, response) => {
  asked.push(url)
  response.writeHead(url === '/gone' ? 404 : 200).end(url)
})
let base = ''
beforeAll(() => {
  base = server()
})

const command = ['--from', 'list', '--output-dir', '.', '-j', '1', '--journal', 'journal', '-s']

// The end of the file may be missing, or be zeros where the octets were not yet written.
test.each(['', '\0'])('of each line, followed by %j', { timeout: 600_000 }, async (filler) => {
  const cwd = mkdtempSync(join(outer(), 'torn-'))
  writeFileSync(join(cwd, 'list'), ['/a', '/gone', '/b'].map((path) => `${base}${path}\n`).join(''))
  expect((await retrieve(command, { cwd })).status).toBe(22)
  const whole = readFileSync(join(cwd, 'journal'), 'latin1')
  const wrong: unknown[] = []
  for (let length = filler.length; length < whole.length; length++) {
    const lines = whole.slice(0, length).split('\n').slice(0, -1)
    const known = lines.filter((line) => /^\{"event":"(?:done|failed)"/.test(line)).map((line) => JSON.parse(line).url)
    writeFileSync(join(cwd, 'journal'), whole.slice(0, length) + filler.repeat(whole.length - length), 'latin1')
    // No file has its name before its line is on the disk.
    for (const name of ['a', 'b']) if (!known.includes(`${base}/${name}`)) rmSync(join(cwd, name), { force: true })
    asked = []
    const { status } = await retrieve(command, { cwd })
    const expected = ['/a', '/gone', '/b'].filter((path) => !known.includes(base + path))
    const files = ['a', 'b'].map((name) => readFileSync(join(cwd, name), 'latin1'))
    const read = readFileSync(join(cwd, 'journal'), 'latin1')
    const kept = read.startsWith(lines.map((line) => `${line}\n`).join(''))
    const told = read
      .trim()
      .split('\n')
      .map((line) => typeof JSON.parse(line).event)
    const seen = { status, asked, files, kept, readable: new Set(told).size }
    const right = { status: 22, asked: expected, files: ['/a', '/b'], kept: true, readable: 1 }
    if (JSON.stringify(seen) !== JSON.stringify(right)) wrong.push({ length, seen, right })
  }
  expect(wrong.slice(0, 3)).toEqual([])
  expect(readdirSync(cwd).toSorted()).toEqual(['a', 'b', 'journal', 'list'])
})
