/** Lists of URLs: --from, and what becomes of each. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { bin, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()

const server = listServer(({ url = '' }, response) => {
  if (url.includes('missing')) response.statusCode = 404
  response.end(`${url}\n`)
})
let base = ''
beforeAll(() => {
  base = server()
})

/** A folder with files in it; `@` in them is the server. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(outer(), 'list-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text.replaceAll('@', base))
  return folder
}

const content = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')

test('a list: comments, blank lines, CRLF, a byte order mark, no line end', async () => {
  const cwd = folderWith({ list: '\uFEFF@/a\r\n\r\n  # a comment\r\n\t@/b  \n\n@/c' })
  const { status, stdout, stderr } = await retrieve(['--from', 'list'], { cwd })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '/a\n/b\n/c\n' })
  expect(stderr).toMatch(/^retrieve: 3 of 3; 9 B in [\d.]+ s\n$/)
})

/** The command with a list at its standard input, in pieces that come one after the other. */
async function fromPipe(
  args: readonly string[],
  pieces: Iterable<string>,
): Promise<{ status: number; stdout: string }> {
  const child = spawn(process.execPath, [bin, ...args, '--from', '-'], { stdio: 'pipe' })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stdin.on('error', () => {})
  Readable.from(pieces).pipe(child.stdin)
  const [status] = await once(child, 'close')
  return { status, stdout }
}

test('standard input, after the URLs of the command line', async () => {
  const pieces = [`${base}/`, `b\n${base}/c`, '\n']
  expect(await fromPipe(['-s', `${base}/a`], pieces)).toEqual({ status: 0, stdout: '/a\n/b\n/c\n' })
})

test('a URL of a pipe is retrieved while the list goes on, and --fail-early does not wait for its end', async () => {
  const child = spawn(process.execPath, [bin, '--fail-early', '--from', '-'], { stdio: 'pipe' })
  child.stdin.write(`${base}/a\n`)
  const [first] = await once(child.stdout, 'data')
  expect(String(first)).toBe('/a\n')
  child.stdin.write(`${base}/missing\n`)
  const [status] = await once(child, 'close')
  expect(status).toBe(22)
})

test('a list of 100,000 lines is read as far as it is needed', async () => {
  let written = 0
  function* lines(): Generator<string> {
    yield `${base}/a\n${base}/missing\n`
    for (; written < 100_000; written++) yield 'data:,x\n'
  }
  const { status } = await fromPipe(['-s', '-j', '2', '--fail-early'], lines())
  expect(status).toBe(22)
  expect(written).toBeLessThan(50_000)
})

test('the URLs of a text, with --extract', async () => {
  const cwd = folderWith({ mail: 'See <@/a>, or (@/b); and more at\n@/c.' })
  const { stdout } = await retrieve(['--from', 'mail', '--extract', '-s'], { cwd })
  expect(stdout).toBe('/a\n/b\n/c\n')
})

test('an empty list is no failure', async () => {
  const cwd = folderWith({ list: '# none\n' })
  const { status, stderr } = await retrieve(['--from', 'list', '-O'], { cwd })
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^retrieve: 0 of 0; 0 B in/) })
})

test('URLs that end alike get names of their own, in the order of the list', async () => {
  const list = '@/1/index.html\n@/2/index.html\n@/a.tar.gz\n@/3/index.html\n@/index.html.1\n@/b/a.tar.gz\n'
  const cwd = folderWith({ list })
  const { status } = await retrieve(['--from', 'list', '-O'], { cwd })
  expect(status).toBe(0)
  const saved = readdirSync(cwd).filter((name) => name !== 'list')
  expect(Object.fromEntries(saved.map((name) => [name, content(cwd, name)]))).toEqual({
    'index.html': '/1/index.html\n',
    'index.html.1': '/2/index.html\n',
    'index.html.2': '/3/index.html\n',
    'index.html.1.1': '/index.html.1\n',
    'a.tar.gz': '/a.tar.gz\n',
    'a.tar.gz.1': '/b/a.tar.gz\n',
  })
})

test('a list names files after a TAB; a name that leads elsewhere is refused', async () => {
  const cwd = folderWith({ list: '@/1/x\tone\n@/2/x\t../two\n@/3/x\t/etc/three\n@/4/x\t~four\n@/5/x\t.hidden\n' })
  const { status, stderr } = await retrieve(['--from', 'list', '-O'], { cwd })
  expect(status).toBe(2)
  expect(stderr).toContain('The list gives a file the name "../two", which is no plain file name.')
  expect(readdirSync(cwd).toSorted()).toEqual(['.hidden', 'list', 'one'])
  expect(readdirSync(outer())).not.toContain('two')
})

test('R43: each URL has a line with its number, and the command a summary', async () => {
  const cwd = folderWith({ list: '@/a\n@/missing\n@/c\n' })
  const { status, stderr } = await retrieve(['-j', '1', '--from', 'list', '-O'], { cwd })
  expect(status).toBe(22)
  expect(stderr.trim().split('\n')).toEqual([
    // The list may be read while the first ones are retrieved: only then their number is known.
    expect.stringMatching(`^retrieve: \\[1(/3)?\\] ${base}/a: saved as a, 3 B$`),
    expect.stringMatching(`^retrieve: \\[2(/3)?\\] ${base}/missing: The server has no such resource`),
    expect.stringMatching(`^retrieve: \\[3(/3)?\\] ${base}/c: saved as c, 3 B$`),
    expect.stringMatching(/^retrieve: 2 of 3, 1 failed; 6 B in [\d.]+ s$/),
  ])
})

test('a glob counts as its URLs', async () => {
  const { stderr } = await retrieve(['-Z', '-O', `${base}/{a,b}`], { cwd: folderWith({}) })
  expect(stderr).toMatch(/\[1\/2\] .*\n.*\[2\/2\] .*\nretrieve: 2 of 2;/)
})

test('once the list is read, the number of all is known', async () => {
  const urls = ['a', 'b', 'c'].map((name) => `${base}/${name}`)
  const { stderr } = await retrieve(['-Z', '--remote-name-all', ...urls], { cwd: folderWith({}) })
  expect(stderr.split('\n').map((line) => line.slice(0, 16))).toEqual([
    'retrieve: [1/3] ',
    'retrieve: [2/3] ',
    'retrieve: [3/3] ',
    'retrieve: 3 of 3',
    '',
  ])
})

test('--json gives the summary as an object', async () => {
  const cwd = folderWith({ list: '@/a\n@/missing\n' })
  const { stderr } = await retrieve(['--from', 'list', '-O', '--json'], { cwd })
  const summary = { urls: 2, retrieved: 1, failed: 1, skipped: 0, brokenOff: 0, octets: 3, seconds: expect.any(Number) }
  expect(
    stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toContainEqual({ summary })
})

test('--failed writes a list for --from, with the names of the files', async () => {
  const cwd = folderWith({ list: '@/1/missing\n@/a\n@/2/missing\nnosuch:x\n', again: 'stale' })
  const { status } = await retrieve(['-j', '1', '--from', 'list', '-O', '--failed', 'again'], { cwd })
  expect(status).toBe(22)
  expect(content(cwd, 'again').split('\n')).toEqual([
    expect.stringMatching(/^# not-found: /),
    `${base}/1/missing`,
    expect.stringMatching(/^# not-found: /),
    `${base}/2/missing\tmissing.1`,
    expect.stringMatching(/^# unknown-scheme: .*the list that `retrieve schemes` prints/),
    'nosuch:x',
    '',
  ])
  expect(statSync(join(cwd, 'again')).mode & 0o777).toBe(0o600)
  const again = await retrieve(['--from', 'again', '-O', '--failed', 'again'], { cwd })
  expect(again.stderr).toContain('retrieve: 0 of 3, 3 failed')
  expect(content(cwd, 'again')).toContain('/2/missing\tmissing.1\n')
  const none = await retrieve(['--failed', 'again', `${base}/b`], { cwd })
  expect(none).toMatchObject({ status: 0, stderr: '' })
  expect(content(cwd, 'again')).toBe('')
  expect(readdirSync(cwd).toSorted()).toEqual(['a', 'again', 'list'])
})

test('a line end in a typed URL makes no second URL of --failed', async () => {
  const cwd = folderWith({})
  const { status } = await retrieve(['--failed', 'again', 'nosuch:a\nnosuch:b\tc'], { cwd })
  expect(status).not.toBe(0)
  expect(content(cwd, 'again').split('\n')).toEqual([expect.stringMatching(/^# /), 'nosuch:a nosuch:b c', ''])
})

test.skipIf(process.platform === 'win32')(
  'a full disk leaves the older file of --failed, and no half URL',
  async () => {
    const cwd = folderWith({ list: `nosuch:${'x'.repeat(3000)}\n`, again: 'older' })
    // Files of more than two blocks (of 512 or 1,024 octets, by the shell) cannot be written.
    const line = [
      '-c',
      'ulimit -f 2; exec "$0" "$@"',
      process.execPath,
      bin,
      '--from',
      'list',
      '-O',
      '--failed',
      'again',
    ]
    const child = spawn('sh', line, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    const [stderr, [status]] = await Promise.all([child.stderr.setEncoding('utf8').toArray(), once(child, 'close')])
    expect({ status, files: readdirSync(cwd).toSorted() }).toEqual({ status: 23, files: ['again', 'list'] })
    expect(stderr.join('')).toContain('again cannot be written')
    expect(content(cwd, 'again')).toBe('older')
  },
)

test('--skip-existing contacts nobody for a file that exists', async () => {
  const cwd = folderWith({ list: '@/a\n@/x/a\n@/b\n', a: 'old', 'a.1': 'old' })
  const { status, stderr } = await retrieve(['-j', '1', '--from', 'list', '-O', '--skip-existing'], { cwd })
  expect(status).toBe(0)
  expect(stderr).toMatch(new RegExp(`retrieve: \\[1(?:/3)?\\] ${base}/a: skipped: a exists\n`))
  expect(stderr).toMatch(/retrieve: 3 of 3 \(2 skipped\); 3 B in/)
  expect([content(cwd, 'a'), content(cwd, 'a.1'), content(cwd, 'b')]).toEqual(['old', 'old', '/b\n'])
  const named = await retrieve(['--skip-existing', '-o', 'a', `${base}/a`, '-o', 'c', `${base}/c`], { cwd })
  expect(named).toMatchObject({ status: 0, stderr: '' })
  expect([content(cwd, 'a'), content(cwd, 'c')]).toEqual(['old', '/c\n'])
})

test('--output-dir names the folder for a list, which is made', async () => {
  const cwd = folderWith({ list: '@/a\n' })
  expect((await retrieve(['--from', 'list', '--output-dir', 'x/y'], { cwd })).status).toBe(0)
  expect(content(cwd, 'x/y/a')).toBe('/a\n')
})

test.each(['--failed', '-c'])('a URL that ends as the file of %s does loses nothing', async (option) => {
  const cwd = folderWith({ list: '@/taken.txt\n' })
  const { status } = await retrieve(['--from', 'list', '-O', option, './taken.txt'], { cwd })
  expect({ status, saved: content(cwd, 'taken.txt.1') }).toEqual({ status: 0, saved: '/taken.txt\n' })
})

test.each([
  [[], 1],
  [['--exit-worst'], 23],
  [['--exit-worst', '-j', '1'], 23],
])('R43: the exit status of many failures with %j is %i', async (options, expected) => {
  const cwd = folderWith({ list: 'nosuch:x\n@/missing\n@/taken\n' })
  mkdirSync(join(cwd, 'taken'))
  const { status } = await retrieve(['--from', 'list', '-O', ...options], { cwd })
  expect(status).toBe(expected)
})

test('a list that cannot be read', async () => {
  const missing = await retrieve(['--from', 'nolist'], { cwd: outer() })
  expect(missing).toMatchObject({ status: 37 })
  expect(missing.stderr).toContain('retrieve: nolist cannot be read: there is no such file.')
  const cwd = folderWith({ binary: `@/a\n${'x'.repeat(3 * 2 ** 20)}` })
  const binary = await retrieve(['--from', 'binary'], { cwd })
  expect(binary).toMatchObject({ status: 63, stdout: '/a\n' })
  expect(binary.stderr).toContain('binary is no list of URLs: it has a line of more than 1 MiB.')
})

test.each([
  [['--extract', 'data:,x'], '--extract says what --from reads: give --from FILE.'],
  [['--from', ''], '--from needs the name of a file, or - for standard input.'],
  [['--from', '-', '--from', '-'], 'Standard input can be read only once.'],
  [['--from', '-', '-w', '@-'], 'Standard input can be read only once.'],
  [['--skip-existing', 'data:,x'], '--skip-existing is for files: give -O or -o FILE.'],
  [['--failed', '', 'data:,x'], '--failed needs the name of a file.'],
  [['--from', 'x', '-OJ', '--skip-existing'], '-J learns the name of the file too late for --skip-existing'],
  [['--from', 'x', '--etag-save', 'y'], '--etag-save goes with one URL, and --from gives many.'],
  [['--from', 'x', '-C', '-'], '-C - continues a file: name it with -o FILE or -O.'],
  [['--from', 'x', '-o', 'y'], '-o y names no file for --from: give -O or --output-dir, or -o - for standard output.'],
  [['--from', 'x', '-o', 'y', 'data:,x', '-O', '-o', 'z'], '-o z names no file for --from'],
  [['ls', '--from', 'x'], '--from is not an option of ls'],
])('%j is refused', async (typed, message) => {
  const { status, stderr } = await retrieve(typed, { cwd: outer() })
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})

test('a list that cannot be read is one sentence', async () => {
  const stderr = 'retrieve: nowhere cannot be read: there is no such file.\n'
  expect(await retrieve(['--from', 'nowhere'], { cwd: outer() })).toEqual({ status: 37, stdout: '', stderr })
})
