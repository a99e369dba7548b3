/** A telnet URL without a terminal: standard input goes to the service, its text to standard output. */
import { once } from 'node:events'
import { startTelnetServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { resetAfterX, scriptedTelnet } from '../../protocols/telnet/support/scripted-telnet.ts'
import { retrieve, start, useBundle } from '../../support/cli/run.ts'

useBundle()

/** The command with an input that is written once, and ends. */
async function withInput(args: readonly string[], input: string | null): Promise<Record<string, unknown>> {
  const child = start(args, { input: 'pipe' })
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('latin1').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  if (input !== null) child.stdin?.end(input)
  const [status] = await once(child, 'close')
  return { status, stdout, stderr }
}

test('lines go out with CR LF, and come with LF', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('\xff\xfb\x01\xff\xfb\x03ready\r\n')
    await peer.until('one\r\ntwo\r\n')
    await peer.send('a\r\nb\r\0c\xff\xff\r\n')
  })
  expect(await withInput([server.url], 'one\ntwo\n')).toEqual({
    status: 0,
    stdout: 'ready\na\nb\rc\xff\n',
    stderr: '',
  })
})

test('-o - keeps the ends of lines', async () => {
  await using server = await scriptedTelnet((peer) => peer.send('a\r\nb\r\n'))
  expect(await withInput(['-o', '-', server.url], '')).toMatchObject({ status: 0, stdout: 'a\r\nb\r\n' })
})

test('-t BINARY=1 changes no octet of the service', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.until('\xff\xfb\0\xff\xfd\0')
    await peer.send('\xff\xfd\0\xff\xfb\0a\r\nb\r\0c\n\xff\xff\r')
  })
  const { status, stdout } = await withInput(['-t', 'BINARY=1', server.url], '')
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'a\r\nb\r\0c\n\xff\r' })
})

test('the end of the input closes one direction; the answer still comes', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('ready\r\n')
    await peer.send(`${(await peer.rest()).length} octets\r\n`)
  })
  expect(await withInput([server.url], 'one\ntwo\n')).toMatchObject({ status: 0, stdout: 'ready\n10 octets\n' })
})

test('without any input, what the service says comes', async () => {
  await using server = await scriptedTelnet((peer) => peer.send('Sat Feb 3\r\n'))
  expect(await withInput([server.url], '')).toEqual({ status: 0, stdout: 'Sat Feb 3\n', stderr: '' })
})

test('the service ends the session, though the input goes on', async () => {
  await using server = await scriptedTelnet((peer) => peer.send('bye\r\n'))
  expect(await withInput([server.url], null)).toMatchObject({ status: 0, stdout: 'bye\n' })
})

test('--max-time ends it', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('hello\r\n')
    await peer.rest()
  })
  const { status, stdout, stderr } = await withInput(['-m', '1', server.url], null)
  expect({ status, stdout }).toEqual({ status: 28, stdout: 'hello\n' })
  expect(stderr).toContain('--max-time')
})

test('a reset is an error', async () => {
  await using server = await scriptedTelnet(resetAfterX, { faults: { resetAfter: 0 } })
  expect(await withInput([server.url], 'x\n')).toMatchObject({ status: 56, stdout: 'hello' })
})

test('nothing listens: 7', async () => {
  const server = await startTelnetServer()
  const { url } = server
  await server.close()
  expect(await retrieve([url])).toMatchObject({ status: 7 })
})

test('the embedded server: a script of lines', async () => {
  await using server = await startTelnetServer()
  const { status, stdout } = await withInput([server.url], 'hello\nquit\n')
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'Welcome to the test server.\nType lines to hear them again, quit to leave.\n> hello\n> quit\nGoodbye.\n',
  })
})

test('the reader of standard output may leave', async () => {
  await using server = await scriptedTelnet(async ({ connection: { stream } }) => {
    while (!stream.destroyed) {
      if (!stream.write('line\r\n'.repeat(1000))) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
    }
  })
  const child = start([server.url])
  child.stdout?.once('data', () => child.stdout?.destroy())
  expect(await once(child, 'close')).toEqual([0, null])
})

// threats.md 46.
test('-t tells what a server may know, and nothing else is told', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('\xff\xfd\x18\xff\xfd\x27')
    await peer.until('\xff\xfb\x18\xff\xfb\x27')
    await peer.send('\xff\xfa\x18\x01\xff\xf0\xff\xfa\x27\x01\x00USER\x03HOME\xff\xf0')
    await peer.until('\xff\xfa\x18\0vt100\xff\xf0')
    await peer.until('\xff\xfa\x27\0\x00USER\x01bob\x03HOME\xff\xf0')
    await peer.send('ok\r\n')
  })
  expect(await withInput(['-t', 'TTYPE=vt100', '--telnet-option', 'NEW_ENV=USER,bob', server.url], '')).toEqual({
    status: 0,
    stdout: 'ok\n',
    stderr: '',
  })
})

test.each([
  'TTYPE',
  'TTYPE=',
  'TTYPE=-froot',
  'NEW_ENV=USER',
  'NEW_ENV=USER,-froot',
  'NEW_ENV=-x,y',
  'BINARY=2',
  'X=1',
])('-t %s is refused before anything is contacted', async (option) => {
  await using server = await scriptedTelnet((peer) => peer.rest())
  const { status, stderr } = await retrieve(['-t', option, server.url])
  expect(status).toBe(2)
  expect(stderr).toContain('--telnet-option needs')
  expect(server.accepted).toBe(0)
})

// threats.md 26.
test('a user with IAC, CR and LF connects to nothing', async () => {
  await using server = await scriptedTelnet((peer) => peer.rest())
  const { status } = await retrieve([`telnet://u%ff%f4%0d%0a@127.0.0.1:${server.port}/`])
  expect(status).not.toBe(0)
  expect(server.accepted).toBe(0)
})

test('the login of the URL is not sent', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('login: ')
    expect(await peer.rest()).toBe('')
  })
  const url = `telnet://bob:pl4nted@127.0.0.1:${server.port}/`
  const { status, stdout, stderr } = await withInput(['-v', url], '')
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'login: ' })
  expect(stderr).not.toContain('pl4nted')
})

test('a Gopher item of type 8 is opened as the service that it is', async () => {
  await using server = await scriptedTelnet((peer) => peer.send('welcome\r\n'))
  expect(await retrieve([`gopher://127.0.0.1:${server.port}/8guest`])).toMatchObject({ status: 0, stdout: 'welcome\n' })
})

test('where the text cannot become a session, the program is named', async () => {
  for (const options of [['--json'], ['-o', '/dev/null'], ['-I']]) {
    const { status, stderr } = await retrieve([...options, 'telnet://h.example/'])
    expect(status).toBe(1)
    expect(stderr).toContain('telnet -- h.example 23')
  }
})
