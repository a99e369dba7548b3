import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGopherServer, type TestServer } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'

let server: TestServer
beforeAll(async () => {
  server = await startGopherServer()
})
afterAll(() => server.close())

test('the empty selector is the root menu', async () => {
  const menu = await exchange(server, '\r\n')
  const place = `127.0.0.1\t${server.port}\t`
  expect(menu).toContain(`1pub\t/pub\t${place}+\r\n`)
  expect(menu).toContain(`9big\t/big\t${place}+\r\n`)
  expect(menu).toContain(`7Search the files\t/search\t${place}+\r\n`)
  expect(menu).toContain(`0A form to fill in\t/ask\t${place}?\r\n`)
  expect(menu).toMatch(/\r\n\.\r\n$/)
})

test('a text has CRLF, doubled dots and a last line with one', async () => {
  expect(await exchange(server, '/pub/dots.txt\r\n')).toBe(
    'first line\r\n..\r\n...\r\n..leading dot\r\n....\r\nlast line\r\n.\r\n',
  )
  expect(await exchange(server, '/pub/empty.txt\r\n')).toBe('.\r\n')
})

test('LF alone ends a request too', async () => {
  expect(await exchange(server, '/pub/hello.txt\n')).toBe('Hello, world.\r\n.\r\n')
})

test('a binary ends with the connection', async () => {
  const data = await exchange(server, '/pub/a.bin\r\n')
  expect(data).toHaveLength(4096)
  expect(data.slice(250, 260)).toBe('\xfa\xfb\xfc\xfd\xfe\xff\x00\x01\x02\x03')
})

test('what is missing is a type 3 item', async () => {
  expect(await exchange(server, '/nope\r\n')).toMatch(/^3'\/nope' does not exist\t\terror\.host\t1\r\n\.\r\n$/)
})

test('a search gives a menu of what has all the words', async () => {
  expect(await exchange(server, '/search\tleading dot\r\n')).toMatch(/^0dots\.txt\t\/pub\/dots\.txt\t/)
  expect(await exchange(server, '/search\tleading nonsense\r\n')).toBe('.\r\n')
  expect(await exchange(server, '/search\r\n')).toBe('.\r\n')
})

test('Gopher+: text ends with a dot, a binary is counted', async () => {
  expect(await exchange(server, '/pub/hello.txt\t+\r\n')).toBe('+-1\r\nHello, world.\r\n.\r\n')
  expect(await exchange(server, '/pub/hello.txt\t\t+\r\n')).toBe('+-1\r\nHello, world.\r\n.\r\n')
  expect(await exchange(server, '/pub/hello.txt\t+text/plain\r\n')).toBe('+-1\r\nHello, world.\r\n.\r\n')
  const binary = await exchange(server, '/pub/a.bin\t+\r\n')
  expect(binary).toMatch(/^\+4096\r\n/)
  expect(binary).toHaveLength(4096 + 7)
  expect(await exchange(server, '/nope\t+\r\n')).toMatch(/^--1\r\n1 <.*@.*>\r\n.*\r\n\.\r\n$/)
  expect(await exchange(server, '/search\tleading dot\t+\r\n')).toMatch(/^\+-1\r\n0dots\.txt\t/)
})

test('Gopher+: attributes of an item and of a directory', async () => {
  const item = await exchange(server, '/pub/hello.txt\t!\r\n')
  expect(item).toContain(
    `+-1\r\n+INFO: 0hello.txt\t/pub/hello.txt\t127.0.0.1\t${server.port}\t+\r\n+ADMIN:\r\n Admin: `,
  )
  expect(item).toContain('\r\n Mod-Date: Sat, 03 Feb 2001 04:05:06 GMT <20010203040506>\r\n')
  expect(item).toContain('\r\n+VIEWS:\r\n text/plain: <1k>\r\n')
  expect(item).toContain('\r\n+ABSTRACT:\r\n ')
  const directory = await exchange(server, '/pub\t$\r\n')
  expect(directory.match(/^\+INFO: /gm)).toHaveLength(10)
})

test('Gopher+: some attributes only', async () => {
  expect(await exchange(server, '/pub/hello.txt\t!+VIEWS\r\n')).toMatch(
    /^\+-1\r\n\+INFO: 0hello.*\r\n\+VIEWS:\r\n text\/plain: <1k>\r\n\.\r\n$/,
  )
  expect(await exchange(server, '/pub/hello.txt\t!+ABSTRACT +VIEWS\r\n')).toMatch(/\+VIEWS:.*\+ABSTRACT:/s)
  expect(await exchange(server, '/pub/hello.txt\t!+VIEWS+ADMIN\r\n')).not.toContain('+ABSTRACT')
})

test('Gopher+: a form is asked for, filled in and answered', async () => {
  expect(await exchange(server, '/ask\t!\r\n')).toContain('+ASK:\r\n Ask: Your name?\tnobody\r\n')
  expect(await exchange(server, '/ask\r\n')).toMatch(/^3/)
  const filled = 'Name: Ann\r\nSecret: 3 characters\r\nColour: green\r\n'
  expect(await exchange(server, '/ask\t+\t1\r\n+-1\r\nAnn\r\nxyz\r\ngreen\r\n.\r\n')).toBe(`+-1\r\n${filled}.\r\n`)
  expect(await exchange(server, '/ask\t+\t1\r\n+17\r\nAnn\r\nxyz\r\ngreen\r\n')).toBe(`+-1\r\n${filled}.\r\n`)
})

test('Gopher+: a form of every kind, with a file as the rest of the data', async () => {
  expect(await exchange(server, '/survey\t!+ASK\r\n')).toContain('\r\n Select: Toppings?\tcheese\tonions\tham\r\n')
  const lines = 'T\r\nxy\r\n2\r\none\r\ntwo\r\nname\r\n1\r\n0\r\n1\r\nlarge\r\n'
  const answer =
    'Title: T\r\nPassword: 2 characters\r\nComments: ["one","two"]\r\nSave as: name\r\nToppings: 101\r\nSize: large\r\nFile: '
  const file = 'a\n\0\xff\r\n.\r\n'
  const counted = `+${lines.length + file.length}\r\n${lines}${file}`
  expect(await exchange(server, `/survey\t+\t1\r\n${counted}`)).toBe(`+${answer.length + 9}\r\n${answer}${file}`)
  expect(await exchange(server, `/survey\t+\t1\r\n+-1\r\n${lines}.\r\n`)).toBe(`+${answer.length}\r\n${answer}`)
})

test('Gopher+: views, each framed in another way', async () => {
  expect(await exchange(server, '/views\t!+VIEWS\r\n')).toContain(
    '+VIEWS:\r\n Text/plain: <1k>\r\n Text/plain De_DE: <1k>\r\n application/postscript: <37>\r\n',
  )
  const plain = 'Three views of one text.\r\n..a line with a dot\r\n.\r\n'
  expect(await exchange(server, '/views\r\n')).toBe(plain)
  expect(await exchange(server, '/views\t+\r\n')).toBe(`+-1\r\n${plain}`)
  expect(await exchange(server, '/views\t+Text/plain De_DE\r\n')).toMatch(/^\+-2\r\nDrei [\s\S]*\r\n\.\r\n[\s\S]*\r\n$/)
  expect(await exchange(server, '/views\t+application/postscript\r\n')).toMatch(/^\+37\r\n%!PS\n[\s\S]*\n$/)
  expect(await exchange(server, '/views\t+text/plain\r\n')).toMatch(/^--1\r\n1 /)
})

test('a server without Gopher+ takes no notice of it', async () => {
  await using plain = await startGopherServer({ gopherPlus: false })
  expect(await exchange(plain, '/pub/hello.txt\t+\r\n')).toBe('Hello, world.\r\n.\r\n')
  expect(await exchange(plain, '\r\n')).toContain(`1pub\t/pub\t127.0.0.1\t${plain.port}\r\n`)
})

test('a client that half-closes after its request is answered', async () => {
  const dialogue = await Dialogue.to(server)
  dialogue.socket.end('/pub/hello.txt\r\n')
  expect(await dialogue.rest()).toBe('Hello, world.\r\n.\r\n')
})

test('request lines are kept as they came', async () => {
  await exchange(server, '/pub/\xff.txt\t+\r\n')
  expect(server.received.at(-1)).toBe('/pub/\xff.txt\t+')
})
