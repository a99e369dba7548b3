import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../../support/cli/run.ts'

useBundle()

const given = ['--accept', 'text/plain, application/postscript;q=0.5', '--accept-language', 'de']

test.each(['get', 'ls'])('HTTP servers are told by %s what is wanted, and -H is the last word', async (command) => {
  await using servers = await startServers()
  const args = [command, '-v', ...given, servers.http.url]
  const { stderr } = await retrieve(args)
  expect(stderr).toMatch(/^> Accept: text\/plain, application\/postscript;q=0\.5$/m)
  expect(stderr).toMatch(/^> Accept-Language: de$/m)
  const own = await retrieve([...args, '-H', 'Accept: text/html'])
  expect(own.stderr.match(/^> accept:.*$/gim)).toEqual(['> Accept: text/html'])
})

test('of Gopher+ the view comes that fits best', async () => {
  const views = ['application/postscript De_DE: <9k>', 'text/plain En_US: <1k>', 'text/plain De_DE: <1k>']
  const attributes = `+INFO: 0Paper\t/p\t127.0.0.1\t70\t+\r\n+VIEWS:\r\n${views.map((view) => ` ${view}\r\n`).join('')}`
  const replies = { '/p\t!': `+-1\r\n${attributes}.\r\n`, '/p\t+text/plain De_DE': '+-2\r\nGuten Tag.\r\n' }
  await using servers = await startServers({ gopher: { faults: { replies } } })
  const { status, stdout } = await retrieve([...given, `${servers.gopher.url}0/p`])
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Guten Tag.\r\n' })
})

describe('what is no header field is refused before anything is contacted (threats.md case 27)', () => {
  test.each(['accept', 'accept-language'])('--%s', async (option) => {
    const { status, stderr } = await retrieve([`--${option}`, 'a\r\nX: y', 'http://127.0.0.1:9/'])
    expect(status).toBe(2)
    expect(stderr).toContain(`--${option} `)
  })
})
