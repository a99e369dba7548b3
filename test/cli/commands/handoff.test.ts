/**
 * The line printed for a URL that names a service can be pasted into a shell safely, for any URL and menu. With -I, no
 * session is opened.
 */
import { execFileSync } from 'node:child_process'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()
let servers: TestServers<'gopher'>
const hostile = 'telnet://x;$(reboot)@h.example/'

beforeAll(async () => {
  const menu = `hA library\tURL:${hostile}\t(NULL)\t0\r\n.\r\n`
  servers = await startServers({ gopher: { faults: { replies: { '/hostile': menu } } } })
})
afterAll(() => servers.close())

/** The arguments that a shell makes of the text, were telnet to run. */
function asAShellReads(command: string): string[] {
  const script = `telnet() { printf '<%s>' "$@"; }\n${command}`
  return [...execFileSync('sh', ['-c', script], { encoding: 'utf8' }).matchAll(/<([^>]*)>/g)].map(
    ([, word = '']) => word,
  )
}

test.each([
  'telnet://x%3Becho%20pwned@h.example/',
  'telnet://$(echo%20pwned)@h.example/',
  'telnet://%60echo%20pwned%60@h.example/',
  "telnet://'%3Becho%20pwned%3B'@h.example/",
  'telnet://alice:s3cret@h.example/',
])('%s', async (url) => {
  const { status, stdout, stderr } = await retrieve(['-I', url])
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  const line = stderr.trimEnd().split('\n').at(-1) ?? ''
  const command = line.slice(line.indexOf('run: ') + 5)
  expect(asAShellReads(command)).toEqual(['--', 'h.example', '23'])
  expect(stderr).not.toContain('s3cret')
  // The name alone, pasted, is one word.
  const login = /logging in as (.*?)(?: with the password that the URL contains)?\. To use it/.exec(line)?.[1] ?? ''
  expect(asAShellReads(`telnet ${login}`)).toHaveLength(1)
})

test('--json has the fields, without the password', async () => {
  const { status, stderr } = await retrieve(['--json', 'telnet://x%3Breboot:s3cret@h.example:2323/'])
  const errors = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ error }) => error)
  expect({ status, handoff: errors[0]?.error.handoff }).toEqual({
    status: 1,
    handoff: {
      service: 'telnet',
      host: 'h.example',
      port: 2323,
      user: 'x;reboot',
      password: '***',
      program: 'telnet',
      args: ['--', 'h.example', '2323'],
      argsWithUser: ['-l', 'x;reboot', '--', 'h.example', '2323'],
      install: expect.stringContaining('telnet'),
    },
  })
  expect(stderr).not.toContain('s3cret')
})

test.each(['telnet://-oProxyCommand=id/', 'telnet://-lroot@h.example/', 'telnet://%1B%5D52%3Bc@h.example/'])(
  '%s is refused',
  async (url) => {
    const { status, stdout, stderr } = await retrieve(['--allow', 'option-injection', url])
    expect({ status: status === 3 || status === 9, stdout }).toEqual({ status: true, stdout: '' })
    expect(stderr).not.toContain('\x1b')
    expect(stderr).not.toContain('run: ')
  },
)

test('a menu that leads to one shows it so that a shell takes it for one word', async () => {
  const { stdout } = await retrieve(['ls', '--json', `${servers.gopher.url}1/hostile`])
  const { url } = JSON.parse(stdout.split('\n')[0] ?? '')
  const { stderr } = await retrieve(['-I', url])
  expect(stderr).toMatch(/To use it, run: telnet -- h\.example 23\n$/)
})
