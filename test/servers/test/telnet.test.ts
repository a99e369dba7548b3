import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTelnetServer, type TestServer } from '../src/index.ts'
import { Nvt } from '../src/telnet/nvt.ts'
import { Dialogue } from './dialogue.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTelnetServer()
})
afterAll(() => server.close())

const NEGOTIATION = '\xff\xfb\x01\xff\xfd\x18'

test('the banner waits for an answer to the negotiation', async () => {
  const telnet = await Dialogue.to(server)
  expect(await telnet.until(NEGOTIATION)).toBe(NEGOTIATION)
  expect(await telnet.within(30)).toBe('')
  telnet.send('\xff\xfe\x01\xff\xfc\x18')
  expect(await telnet.until('> ')).toMatch(/^Welcome/)
  telnet.close()
})

test('lines are echoed, quit closes', async () => {
  const telnet = await Dialogue.to(server)
  await telnet.until(NEGOTIATION)
  telnet.send('hello\r\n')
  expect(await telnet.until('> ')).toMatch(/^Welcome/)
  expect(await telnet.until('> ')).toBe('hello\r\n> ')
  telnet.send('\xff\xff\r\0')
  expect(await telnet.until('> ')).toBe('\xff\xff\r\n> ')
  telnet.send('\xff\xf6')
  expect(await telnet.until('[Yes]\r\n')).toBe('\r\n[Yes]\r\n')
  telnet.send('quit\r\n')
  expect(await telnet.rest()).toBe('quit\r\nGoodbye.\r\n')
  expect(server.received.slice(-4)).toEqual(['hello', '\xff', '\xff\xf6', 'quit'])
})

test('a client that wants the echo sees what it types', async () => {
  const telnet = await Dialogue.to(server)
  await telnet.until(NEGOTIATION)
  telnet.send('\xff\xfd\x01')
  await telnet.until('> ')
  telnet.send('a')
  expect(await telnet.until('a')).toBe('a')
  telnet.send('b\xff\xff\r\n')
  expect(await telnet.until('> ')).toBe('b\xff\xff\r\nab\xff\xff\r\n> ')
  telnet.send('\x04')
  await telnet.rest()
})

test('an NVT is taken apart however it is cut', () => {
  const input = 'a\xff\xffb\r\n\xff\xfc\x18\xff\xfa\x18\x00X\xff\xff\xff\xf0c\rd\r\0\xff\xf1\n'
  const whole = new Nvt().feed(Buffer.from(input, 'latin1'))
  const nvt = new Nvt()
  const bytes = [...input].flatMap((char) => nvt.feed(Buffer.from(char, 'latin1')))
  expect(bytes).toEqual(whole)
  expect(whole).toEqual([
    { line: 'a\xffb' },
    { command: '\xff\xfc\x18' },
    { command: '\xff\xfa\x18\x00X\xff\xff\xff\xf0' },
    { line: 'c\rd' },
    { command: '\xff\xf1' },
    { line: '' },
  ])
})
