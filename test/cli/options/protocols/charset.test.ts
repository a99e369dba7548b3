import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../../support/cli/pty.ts'
import { retrieve, retrieveOctets, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** «привет» in KOI8-R, one octet a character. */
const koi8 = '\xd0\xd2\xc9\xd7\xc5\xd4'
const hello = 'привет'

const replies = {
  '': `0${koi8}\t/t\th\t70\r\n.\r\n`,
  '/t': `${koi8}\r\n`,
  // In segments of one octet, the first segments are valid UTF-8.
  '/late': `ASCII${'.'.repeat(200)}\r\nf\xfcr\r\n`,
}

test('ls --charset names the entries by it', async () => {
  await using servers = await startServers({ gopher: { faults: { replies } } })
  const { status, stdout, stderr } = await retrieve(['ls', '--json', '--charset', 'koi8-r', servers.gopher.url])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ name: hello })
})

test('in a pipe the octets come as they are', async () => {
  await using servers = await startServers({ gopher: { faults: { replies } } })
  const { stdout } = await retrieveOctets(['--charset', 'koi8-r', `${servers.gopher.url}0/t`])
  expect(stdout.toString('latin1')).toBe(`${koi8}\r\n`)
})

test('an unknown charset is an error that shows it, and nothing is contacted', async () => {
  await using servers = await startServers({ gopher: true })
  expect(await retrieve(['--charset', 'klingon', servers.gopher.url])).toEqual({
    status: 2,
    stdout: '',
    stderr: 'retrieve: --charset needs the name of a charset, such as windows-1252 or koi8-r; not "klingon".\n',
  })
  expect(servers.gopher.accepted).toBe(0)
})

describe.skipIf(!hasTerminal)('on a terminal (script of util-linux)', () => {
  test('a text and a menu are shown in it', async () => {
    await using servers = await startServers({ gopher: { faults: { replies } } })
    expect((await onPty(folder(), `--charset koi8-r ${servers.gopher.url}0/t`)).screen).toContain(hello)
    expect((await onPty(folder(), `--charset koi8-r ${servers.gopher.url}`)).screen).toContain(`text    ${hello}`)
  })

  test('without it, what comes late counts for the guess too', async () => {
    await using servers = await startServers({ gopher: { faults: { replies, chunking: 'bytes' } } })
    expect((await onPty(folder(), `${servers.gopher.url}0/late`)).screen).toContain('für')
  })
})
