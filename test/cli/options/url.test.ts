import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../../packages/cli/src/parse.ts'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()

test.each([
  [['--url', 'a'], 'get', ['a']],
  [['a/', '--url', 'b', '-o', 'f', 'c', '--url=d'], 'get', ['a/', 'b', 'c', 'd']],
  [['--url', 'a', 'explain', 'b'], 'explain', ['a', 'b']],
  [['--url', 'ls', 'ls'], 'ls', ['ls']],
  [['--url', 'help'], 'get', ['help']],
])('--url gives a URL at its place: %j', (argv, command, operands) => {
  expect(parseCommandLine(argv)).toMatchObject({ command, operands })
})

test('--url is retrieved', async () => {
  const typed = ['--url', 'data:,a', 'data:,b', '--url=data:,c']
  expect(await retrieve(typed)).toEqual({ status: 0, stdout: 'abc', stderr: '' })
})

describe('--proto-default', () => {
  test.each([
    ['www.example.org/x', 'https', 'https://www.example.org/x'],
    ['ftp.example.org/x', 'https', 'https://ftp.example.org/x'],
    ['intranet', 'gopher', 'gopher://intranet'],
    ['localhost:8080/x', 'ftp', 'ftp://localhost:8080/x'],
    ['/etc/hostname', 'file', 'file:///etc/hostname'],
    ['http://h/', 'ftp', 'http://h/'],
  ])('%s is read with %s, without a word', async (operand, scheme, url) => {
    const { stdout, stderr } = await retrieve(['explain', '--json', '--proto-default', scheme, operand])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ url })
  })

  test('a scheme that is none', async () => {
    const stderr = 'retrieve: --proto-default needs the name of a scheme, such as https; not "https://".\n'
    expect(await retrieve(['--proto-default', 'https://', 'h'])).toEqual({ status: 2, stdout: '', stderr })
    expect(await retrieve(['--proto-default', 'gohper', 'h'])).toMatchObject({ status: 1, stdout: '' })
  })
})
