import { expect, test } from 'vitest'
import { startImapServer, startMqttServer, startNfsServer, startNntpServer, startPop3Server } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'

// What the clients of others send, and ours does not; test/interop/clients.test.ts has these clients themselves.

test.each([
  ['b NOOP', 'b OK NOOP completed\r\n'],
  ['b LIST "" ""', '* LIST (\\Noselect) "/" ""\r\nb OK LIST completed\r\n'],
  ['b LIST "" "In%"', 'b OK LIST completed\r\n'],
  ['b LIST "" "*p*y*"', '* LIST (\\HasNoChildren) "/" "Empty"\r\nb OK LIST completed\r\n'],
  ['b STATUS inbox (MESSAGES)', '* STATUS "inbox" (MESSAGES 2)\r\nb OK STATUS completed\r\n'],
  ['b SEARCH OR FROM bob 2', '* SEARCH 1 2\r\nb OK SEARCH completed\r\n'],
  ['b SEARCH (NOT UID 11:* ALL)', '* SEARCH\r\nb OK SEARCH completed\r\n'],
  ['b SEARCH FROM {3+}\r\nbob UNSEEN', '* SEARCH\r\nb OK SEARCH completed\r\n'],
  ['b SEARCH FROM {3}\r\nbob SEEN', '+ go ahead\r\n* SEARCH 1\r\nb OK SEARCH completed\r\n'],
  ['b SEARCH CHARSET UTF-8 SUBJECT {7+}\r\nGr\xc3\xbc\xc3\x9fe', '* SEARCH 2\r\nb OK SEARCH completed\r\n'],
  ['b SEARCH PURPLE', 'b BAD unknown key\r\n'],
  ['b FETCH 1 RFC822.SIZE', '* 1 FETCH (RFC822.SIZE 94)\r\nb OK FETCH completed\r\n'],
  ['b FETCH * (uid)', '* 2 FETCH (UID 12)\r\nb OK FETCH completed\r\n'],
  ['b UID FETCH 1:11 FLAGS', '* 1 FETCH (UID 11 FLAGS (\\Seen))\r\nb OK FETCH completed\r\n'],
  ['b FETCH 1 PURPLE', 'b BAD unknown item\r\n'],
  ['b STORE 1 +FLAGS (\\Deleted)', 'b BAD unknown command\r\n'],
  [`b FETCH 1 ${'('.repeat(1000)}`, ''],
  ['b SEARCH FROM {999999999}', ''],
])('IMAP: %s', async (command, answer) => {
  await using server = await startImapServer()
  const said = await exchange(server, `x LOGIN alice secret\r\ny SELECT INBOX\r\n${command}\r\nz LOGOUT\r\n`)
  const own = said.slice(said.indexOf('y OK [READ-WRITE] open\r\n') + 'y OK [READ-WRITE] open\r\n'.length)
  expect(own).toBe(answer === '' ? '' : `${answer}* BYE see you\r\nz OK LOGOUT completed\r\n`)
})

test('POP3: STAT, one line of LIST and UIDL, TOP, RSET', async () => {
  await using server = await startPop3Server()
  const commands = [
    'USER alice',
    'PASS secret',
    'STAT',
    'LIST 2',
    'LIST 3',
    'UIDL 1',
    'TOP 1 0',
    'RSET',
    'DELE 1',
    'QUIT',
  ]
  const said = await exchange(server, commands.map((command) => `${command}\r\n`).join(''))
  expect(said.split('\r\n').slice(3)).toEqual([
    '+OK 2 360',
    '+OK 2 266',
    '-ERR no such message',
    '+OK 1 uid-1',
    '+OK',
    'From: Bob <bob@example.net>',
    'Subject: Hello',
    'Message-ID: <1@example.net>',
    '',
    '.',
    '+OK',
    '-ERR nothing is deleted here',
    '+OK bye',
    '',
  ])
})

test('NNTP: XHDR, HDR and NEWGROUPS', async () => {
  await using server = await startNntpServer()
  const dialogue = await Dialogue.to(server)
  await dialogue.reply()
  await dialogue.ask('GROUP retriever.test')
  const block = async (command: string): Promise<string> => (await dialogue.ask(command)) + (await dialogue.block())
  expect(await block('XHDR subject 1-2')).toBe('221 Header follows\r\n1 A first test\r\n2 Re: A first test\r\n.\r\n')
  expect(await block('HDR Message-ID <two@example.net>')).toBe('225 Header follows\r\n0 <two@example.net>\r\n.\r\n')
  expect(await block('NEWGROUPS 990101 000000 GMT')).toMatch(/^231 .*\r\nretriever\.announce 42 41 n\r\n/)
  expect(await block('NEWGROUPS 20200101 000000')).toMatch(/^231 .*\r\n\.\r\n$/)
  expect(await dialogue.ask('NEWGROUPS yesterday')).toMatch(/^501 /)
  dialogue.close()
})

test('MQTT: another version of the protocol is refused, several filters are granted one by one', async () => {
  await using server = await startMqttServer()
  const version5 = '\x10\x0d\0\x04MQTT\x05\x02\0\x3c\0\0\0'
  expect(await exchange(server, version5)).toBe('\x20\x02\0\x01')
  const connect = '\x10\x0c\0\x04MQTT\x04\x02\0\x3c\0\0'
  const subscribe = `\x82\x12\0\x07\0\x07pub/+/x\0\0\x03+/#\0`
  const said = await exchange(server, connect + subscribe)
  expect(said.slice(0, 10)).toBe('\x20\x02\0\0\x90\x04\0\x07\x80\0')
  expect(said).toContain('pub/helloHello.\n')
})

test('NFS: a procedure that is not there is PROC_UNAVAIL; a call comes in several fragments', async () => {
  await using server = await startNfsServer()
  const call = (program: string, procedure: string): string =>
    `\0\0\0\x07\0\0\0\0\0\0\0\x02\0\x01\x86${program}\0\0\0\x03\0\0\0${procedure}${'\0'.repeat(16)}`
  const dialogue = await Dialogue.to(server)
  dialogue.send(`\x80\0\0\x28${call('\xa5', '\x09')}`)
  expect((await dialogue.until('\0\0\0\x03')).length).toBe(28)
  const exports = call('\xa5', '\x05')
  dialogue.send(`\0\0\0\x10${exports.slice(0, 16)}\x80\0\0\x18${exports.slice(16)}`)
  expect(await dialogue.until('/\0\0\0')).toMatch(/\0\0\0\x01\0\0\0\x01\/\0\0\0$/)
  dialogue.close()
})
