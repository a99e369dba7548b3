import { expect, test } from 'vitest'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()

test('the demo shows all classic schemes and exits with 0', async () => {
  const { status, stdout, stderr } = await retrieve(['demo'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const parts = stdout.split('\n\n')
  for (const scheme of ['ftp', 'http', 'gopher', 'news', 'nntp', 'file', 'telnet']) {
    const part = parts.find((text) => text.startsWith(`${scheme}:`)) ?? ''
    expect(part).toMatch(/\n {2}is {7}\S/)
    expect(part).toMatch(/\n {2}came {5}\S/)
    if (!['file', 'telnet'].includes(scheme)) expect(part).toMatch(/\n {2}sends {4}\S/)
  }
  expect(stdout).toContain('4096 octets, SHA-256 c8f5d0341d54d951')
  expect(stdout).toContain('the server is there and says: Welcome to the test server.')
  expect(stdout).toMatch(/came {5}retrieve: ftp:.*550.*\n {11}exit code 78\n/)
  expect(stdout).toMatch(
    /came {5}retrieve: gopher:\/\/127\.0\.0\.1:25\/x: Refused: .*--allow-port 25 permits it\.\n {11}exit code 9\n/,
  )
  expect(stdout).toMatch(/\nAll went as it should\. [^\n]*\nIn the clone, [^\n]*\n$/)
})
