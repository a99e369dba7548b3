/**
 * `retrieve audit`: its card, its lines of JSON, its exit status. What it finds is tested in test/servers/test/audit.
 */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { retrieve } from '../../support/cli/run.ts'

const naive = fileURLToPath(new URL('../../servers/test/audit/naive-client.mjs', import.meta.url))
const client = [process.execPath, naive, '{url}', '{file}']

/** A client that fails at once. */
const failing = [process.execPath, '-e', 'process.stderr.write("no \\x1b[2J"); process.exit(7)', '{url}']

test('a client that cannot do anything is not judged, and the card says why within 80 columns', async () => {
  const { status, stdout, stderr } = await retrieve(['audit', '--only', 'time', '--', ...failing])
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  expect(stdout).toMatch(/^CLASS +PASSED +FAILED +SKIPPED\ntime +0 +0 +\d+\nall +0 +0 +\d+\n/)
  expect(stdout).toContain('cannot retrieve http: gave up on an answer that is in order (exit')
  expect(stdout).not.toContain('\x1b')
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
})

test('a scheme that it is said to speak counts as failed', async () => {
  const { status, stdout } = await retrieve(['audit', '--only', 'names', '--schemes', 'http', '--', ...failing])
  expect(status).toBe(1)
  expect(stdout).toMatch(/^names +0 +\d\d +\d+$/m)
  expect(stdout).toMatch(/^names +http: a name one folder up: cannot retrieve http: gave up/m)
})

test('--json has an object for each script, and then the score', async () => {
  const args = ['audit', '--json', '--only', 'ordinary', '--only', 'time', '--schemes', 'gopher', '--timeout', '20s']
  const { status, stdout } = await retrieve([...args, '--', ...client])
  expect(status).toBe(1)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { score } = lines.pop()
  expect(lines).toContainEqual({
    class: 'time',
    name: 'gopher: silence in the content',
    outcome: 'failed',
    reasons: [expect.stringContaining('cannot retrieve gopher')],
    exit: null,
    memory: null,
  })
  expect(Object.keys(score)).toEqual(['ordinary', 'time', 'all'])
  expect(score.all.passed + score.all.failed + score.all.skipped).toBe(lines.length)
})

test.each([
  [['audit'], /^retrieve: audit needs a command behind --/],
  [['audit', 'curl'], /^retrieve: audit needs a command behind --/],
  [['audit', '--', 'curl'], /^retrieve: The command of audit needs \{url\}\.\n$/],
  [['audit', '--only', 'all', '--', 'curl', '{url}'], /^retrieve: --only needs one of ordinary, .*, not "all"\.\n$/],
  [
    ['audit', '--', 'no-such-program', '{url}'],
    /^retrieve: The command "no-such-program" was not started: there is no such program\.\n$/,
  ],
  [
    ['audit', '--schemes', 'http,htp', '--', 'curl', '{url}'],
    /^retrieve: --schemes needs some of http, https, ftp, .*, not "htp"\.\n$/,
  ],
  [['audit', '--timeout', '0', '--', 'curl', '{url}'], /^retrieve: --timeout needs more than 0 seconds, .*\n$/],
  [['--timeout', '5', 'http://127.0.0.1/'], /^retrieve: --timeout is not an option of get, .* Use --connect-timeout/],
])('%j is exit code 2 and one sentence', async (args, message) => {
  const { status, stdout, stderr } = await retrieve(args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(message)
})
