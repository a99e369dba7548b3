import { hostname, userInfo } from 'node:os'
import { mayGive, mustFail, mustGive, type Script, type Stage } from '../script.ts'
import { tricks } from './http-terminal.ts'
import { type OwnRow, own, ownRows } from './own.ts'

const hello = 'Hello, world.\n'
const file: OwnRow = { path: 'pub/hello.txt' }
const binary: OwnRow = { path: 'pub/a.bin' }
const allOctets = Uint8Array.from({ length: 4096 }, (_, index) => index % 256)

/** A reply to PASV that leads to the victim, or to somewhere else. EPSV is refused, so that PASV is asked for. */
const passive =
  (reply: string | ((stage: Stage) => string)): OwnRow['faults'] =>
  (stage) => ({
    replies: { EPSV: '500 what?\r\n', PASV: `${typeof reply === 'string' ? reply : reply(stage)}\r\n` },
  })
const extended =
  (reply: string | ((stage: Stage) => string)): OwnRow['faults'] =>
  (stage) => ({
    replies: { EPSV: `${typeof reply === 'string' ? reply : reply(stage)}\r\n`, PASV: '500 what?\r\n' },
  })
const numbers = ({ victim: { host, port } }: Stage): string => [...host.split('.'), port >> 8, port & 255].join(',')

const said = (key: string, code: string): Readonly<Record<string, OwnRow['faults']>> =>
  Object.fromEntries(
    Object.entries(tricks).map(([what, trick]) => [
      `${what} in ${key}`,
      { replies: { [key]: `${code} ${trick}\r\n` } },
    ]),
  )

/** A listing is sent by the server's files; hostile names are those of files. */
const evil = (name: string): OwnRow => ({ path: 'evil/', files: { [`/evil/${name}`]: 'evil' } })

export const ftp: readonly Script[] = [
  ...ownRows(
    'ordinary',
    'ftp',
    { ...file, outcome: mustGive(hello) },
    {
      'a text': {},
      'replies octet by octet': { chunking: 'bytes' },
      'replies cut between CR and LF': { chunking: 'split-crlf' },
      'replies that come together': { chunking: 'glued' },
      '226 before the data': { earlyReply: true },
      'a server without EPSV': { replies: { EPSV: '500 what?\r\n' } },
      'a server without SIZE and MDTM': { replies: { SIZE: '500 what?\r\n', MDTM: '500 what?\r\n' } },
      'a server without FEAT and OPTS': { replies: { FEAT: '500 what?\r\n', OPTS: '500 what?\r\n' } },
      'a greeting of several lines': { replies: { greeting: '220-Welcome\r\n 220 not yet\r\n220 ready\r\n' } },
    },
  ),
  own('ordinary', 'ftp', 'all octets', { ...binary, outcome: mustGive(allOctets) }),
  own('ordinary', 'ftp', 'an empty file', { path: 'pub/empty.txt', outcome: mustGive('') }),
  own('ordinary', 'ftp', 'a name with blanks', {
    path: 'pub/name%20with%20spaces.txt',
    outcome: mustGive('The name of this file has spaces.\n'),
  }),
  ...ownRows(
    'framing',
    'ftp',
    { ...binary, outcome: mustFail },
    {
      'data that is cut, and 426': { cutAfter: 100 },
      'data that is cut, and 226': { shortBody: 100 },
      'data that is cut by RST': { resetAfter: 100 },
      'both connections end in the data': { crashAfter: 100 },
      '451 behind the data': { replies: { '226': '451 disk error\r\n' } },
      '550 behind the data': { replies: { '226': '550 gone\r\n' } },
      'no reply to RETR': { replies: { RETR: '' } },
      '226 in place of 150, and no data': { replies: { RETR: '226 done\r\n' } },
      'a file that is missing': { replies: { RETR: '550 no such file\r\n' } },
      'a greeting of HTTP': { replies: { greeting: 'HTTP/1.1 400 Bad\r\n\r\n' } },
      'a greeting without a code': { replies: { greeting: 'hello\r\n' } },
      'a greeting that refuses': { replies: { greeting: '421 too many\r\n' } },
      'no greeting': { replies: { greeting: '' } },
      'a login that ends in nothing': { replies: { PASS: '' } },
      'a login that is refused': { replies: { USER: '530 no\r\n', PASS: '530 no\r\n' } },
      'a code of four digits': { replies: { greeting: '2200 ready\r\n' } },
    },
  ),
  ...ownRows(
    'framing',
    'ftp',
    { ...binary, outcome: mayGive(allOctets) },
    {
      'no last reply': { replies: { '226': '' } },
      'a size that is too small': { replies: { SIZE: '213 5\r\n' } },
      'a size that is too large': { replies: { SIZE: '213 99999\r\n' } },
      'a size below zero': { replies: { SIZE: '213 -5\r\n' } },
      'a size with an exponent': { replies: { SIZE: '213 1e400\r\n' } },
      'a size beyond 2^64': { replies: { SIZE: '213 99999999999999999999\r\n' } },
      'a size that is a word': { replies: { SIZE: '213 many\r\n' } },
      'a date that is none': { replies: { MDTM: '213 99999999999999\r\n' } },
      'two replies to SIZE': { replies: { SIZE: '213 4096\r\n213 4096\r\n' } },
      'two replies to TYPE': { replies: { TYPE: '200 ok\r\n550 no\r\n' } },
      'the reply to RETR in front of it': { replies: { EPSV: '500 what?\r\n150 here\r\n226 done\r\n' } },
      'a NUL in a reply': { replies: { CWD: '250 a\0b\r\n' } },
    },
  ),
  ...ownRows(
    'redirect',
    'ftp',
    { ...file, victim: 'untouched' },
    {
      'PASV to another host': passive((stage) => `227 Entering Passive Mode (${numbers(stage)}).`),
      'PASV to another host, without brackets': passive((stage) => `227 Entering Passive Mode ${numbers(stage)}`),
      'EPSV with the address of another host': extended(({ victim: { host, port } }) => `229 ok (|1|${host}|${port}|)`),
    },
  ),
  ...ownRows(
    'redirect',
    'ftp',
    { ...file, outcome: mustFail, victim: 'untouched' },
    {
      'PASV with numbers beyond an octet': passive('227 ok (127,0,0,1,300,1)'),
      'PASV with a number below zero': passive('227 ok (127,0,0,1,-5,80)'),
      'PASV with five numbers': passive('227 ok (127,0,0,1,80)'),
      'PASV with port 0': passive('227 ok (127,0,0,1,0,0)'),
      'PASV with words': passive('227 ok (here,there)'),
      'PASV with a number of a megabyte': passive(`227 ok (127,0,0,1,${'9'.repeat(2 ** 20)},1)`),
      'EPSV with port 0': extended('229 ok (|||0|)'),
      'EPSV with port 70000': extended('229 ok (|||70000|)'),
      'EPSV with a port below zero': extended('229 ok (|||-80|)'),
      'EPSV with a word for a port': extended('229 ok (|||ftp|)'),
      'EPSV without its bracket': extended('229 ok |||'),
    },
  ),
  ...ownRows(
    'secrets',
    'ftp',
    { ...file, login: true, outcome: mustFail },
    {
      'a login that is refused, and said back': ({ secret }) => ({ replies: { PASS: `530 not ${secret}\r\n` } }),
      'a login at a server that then is lost': { replies: { PASS: '' } },
      'a login and a file that is missing': { replies: { RETR: '550 no\r\n', SIZE: '550 no\r\n' } },
      'a login and data that is cut': { cutAfter: 5 },
      'a login and a reply that is garbage': {
        replies: { TYPE: 'garbage\r\n', EPSV: 'garbage\r\n', PASV: 'garbage\r\n' },
      },
    },
  ),
  ...ownRows(
    'secrets',
    'ftp',
    { ...file, login: true, never: ({ secret }) => new RegExp(`^(?!PASS ).*${secret}`) },
    {
      'an account that is asked for behind the password': { replies: { PASS: '332 which account?\r\n' } },
      'a password that is asked for again and again': { replies: { PASS: '331 once more\r\n' } },
      'a greeting of a web server before the login': { replies: { greeting: 'HTTP/1.1 200 OK\r\n\r\n' } },
    },
  ),
  own('secrets', 'ftp', 'an anonymous login', {
    ...file,
    never: () => new RegExp(`^PASS .*(?:${userInfo().username}@|@${hostname()})`),
  }),
  ...ownRows(
    'secrets',
    'ftp',
    { ...file, never: () => /^(?:USER|PASS)/ },
    {
      'a greeting of a mail server': { replies: { greeting: 'SMTP ready\r\n' } },
    },
  ),
  ...[
    'a\x1b[2J',
    'evil\x9b2J',
    '-rf',
    '.evilrc',
    '..evil',
    'C:evil',
    'a\\..\\evil',
    '%2e%2e%2fevil',
    'evil -> ',
    'con',
  ].map((name) => own('names', 'ftp', `a directory with the name ${JSON.stringify(name)}`, evil(name))),
  ...ownRows('terminal', 'ftp', file, {
    ...said('greeting', '421'),
    ...said('USER', '530'),
    ...said('CWD', '550'),
    ...said('RETR', '550'),
    ...said('TYPE', '500'),
    ...said('226', '451'),
  }),
  ...ownRows(
    'time',
    'ftp',
    { ...binary, outcome: mustFail },
    {
      'silence in place of a greeting': { stall: 'greeting' },
      'silence behind the login': { stall: 'login' },
      'silence behind RETR': { stall: 'response' },
      'silence in the data': { stall: 'body' },
      'a greeting that is never whole': { replies: { greeting: '220-wait\r\n' } },
      'a reply that is never whole': { replies: { TYPE: '200-wait\r\n' } },
    },
  ),
  own('time', 'ftp', 'silence behind the data', { ...binary, faults: { stall: 'final' }, outcome: mayGive(allOctets) }),
]
