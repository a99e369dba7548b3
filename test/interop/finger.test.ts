import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { expectOctets, retrieve, retrieveToFile, suite } from './suite.ts'

suite('fingerd', (server) => {
  test.each([
    ['/ann', 'ann'],
    ['/', ''],
    ['/none', 'none'],
    ['/%2FW%20ann', '/W ann'],
  ])('%s: the octets that socat gets for the line %j', async (path, line) => {
    const plain = execFileSync('socat', ['-t', '10', '-', `TCP:127.0.0.1:${server.port()}`], { input: `${line}\r\n` })
    expect(plain.length).toBeGreaterThan(10)
    expectOctets(await retrieveToFile(server.url('finger', path)), plain)
  })

  test('on standard output', async () => {
    const { status, stdout } = await retrieve(server.url('finger', '', { user: 'ann' }))
    expect(status).toBe(0)
    expect(stdout.toString()).toContain('Name: Ann Author')
  })
})
