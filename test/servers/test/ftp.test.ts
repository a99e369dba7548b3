import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bigOctet, startFtpServer, type TestServer } from '../src/index.ts'
import { Dialogue } from './dialogue.ts'
import { fetchData, login, passive } from './ftp-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await startFtpServer()
})
afterAll(() => server.close())

const everyOctet = String.fromCharCode(...Array.from({ length: 256 }, (_, octet) => octet))

describe('login', () => {
  test.each([
    ['anonymous', 'x@', '230'],
    ['ftp', '', '230'],
    ['alice', 'secret', '230'],
    ['alice', 'wrong', '530'],
    ['mallory', 'secret', '530'],
    ['constructor', 'secret', '530'],
    ['bob', 'secret', '332'],
  ])('USER %s, PASS %s: %s', async (user, password, code) => {
    const control = await Dialogue.to(server)
    expect(await control.reply()).toMatch(/^220 /)
    expect(await control.ask(`USER ${user}`)).toMatch(/^331 /)
    expect(await control.ask(`PASS ${password}`)).toMatch(new RegExp(`^${code} `))
    if (code === '332') expect(await control.ask('ACCT sales')).toMatch(/^230 /)
    expect(await control.ask('PWD')).toMatch(code === '530' ? /^530 / : /^257 "\/"/)
    expect(await control.ask('QUIT')).toMatch(/^221 /)
    expect(await control.rest()).toBe('')
  })

  test('PASS before USER is 503, other commands 530, unknown ones 500', async () => {
    const control = await Dialogue.to(server)
    await control.reply()
    expect(await control.ask('PASS x')).toMatch(/^503 /)
    expect(await control.ask('RETR x')).toMatch(/^530 /)
    expect(await control.ask('FROB')).toMatch(/^500 /)
    control.close()
  })
})

describe('directories', () => {
  test('a path is relative to the directory', async () => {
    const control = await login(server)
    await control.ask('TYPE I')
    expect(await control.ask('CWD pub')).toMatch(/^250 /)
    expect(await control.ask('CWD sub')).toMatch(/^250 /)
    expect(await control.ask('CWD deep')).toMatch(/^250 /)
    expect(await control.ask('PWD')).toMatch(/^257 "\/pub\/sub\/deep" /)
    expect(await control.ask('SIZE file.txt')).toBe('213 24\r\n')
    expect(await control.ask('CDUP')).toMatch(/^250 /)
    expect(await control.ask('SIZE deep/file.txt')).toBe('213 24\r\n')
    expect(await control.ask('CWD /etc')).toMatch(/^250 /)
    expect(await control.ask('SIZE motd')).toMatch(/^213 /)
    expect(await control.ask('CWD nope')).toMatch(/^550 /)
    expect(await control.ask('CWD motd')).toMatch(/^550 /)
    control.close()
  })

  test('an empty CWD stays', async () => {
    const control = await login(server)
    await control.ask('CWD pub')
    expect(await control.ask('CWD ')).toMatch(/^250 /)
    expect(await control.ask('PWD')).toMatch(/^257 "\/pub" /)
    control.close()
  })

  test('an empty CWD is refused where the option says so, and CWD alone goes to the login directory', async () => {
    await using refusing = await startFtpServer({ nullCwd: 'refuse' })
    const control = await login(refusing)
    await control.ask('CWD pub')
    expect(await control.ask('CWD ')).toMatch(/^501 /)
    expect(await control.ask('PWD')).toMatch(/"\/pub"/)
    expect(await control.ask('CWD')).toMatch(/^250 /)
    expect(await control.ask('PWD')).toMatch(/"\/"/)
    control.close()
  })
})

describe('transfers', () => {
  test('TYPE I is octet-exact', async () => {
    const control = await login(server)
    await control.ask('TYPE I')
    const { data, first, last } = await fetchData(control, server, 'RETR pub/a.bin')
    expect(first).toMatch(/^150 .*\(4096 bytes\)/)
    expect(data).toBe(everyOctet.repeat(16))
    expect(last).toMatch(/^226 /)
    control.close()
  })

  test('TYPE A makes CRLF of LF, and REST counts what is sent', async () => {
    const control = await login(server)
    await control.ask('TYPE A')
    expect((await fetchData(control, server, 'RETR pub/hello.txt')).data).toBe('Hello, world.\r\n')
    await control.ask('REST 13')
    expect((await fetchData(control, server, 'RETR pub/hello.txt')).data).toBe('\r\n')
    expect(await control.ask('SIZE pub/hello.txt')).toMatch(/^550 /)
    control.close()
  })

  test('REST counts for one transfer', async () => {
    const control = await login(server)
    await control.ask('TYPE I')
    expect(await control.ask('REST 4090')).toMatch(/^350 /)
    expect((await fetchData(control, server, 'RETR pub/a.bin')).data).toBe(everyOctet.slice(-6))
    expect((await fetchData(control, server, 'RETR pub/a.bin')).data).toHaveLength(4096)
    await control.ask('REST 4097')
    expect((await fetchData(control, server, 'RETR pub/a.bin')).first).toMatch(/^554 /)
    control.close()
  })

  test('a name may look like a typecode, have blanks, UTF-8 or the octet FF, which is doubled', async () => {
    const control = await login(server)
    await control.ask('CWD pub')
    await control.ask('TYPE I')
    expect((await fetchData(control, server, 'RETR a;type=d')).data).toMatch(/typecode/)
    expect((await fetchData(control, server, 'RETR name with spaces.txt')).data).toMatch(/spaces/)
    expect((await fetchData(control, server, 'RETR gr\xc3\xbc\xc3\x9fe.txt')).data).toMatch(/Testbaum/)
    expect((await fetchData(control, server, 'RETR \xff\xff.txt')).data).toMatch(/octet FF/)
    expect((await fetchData(control, server, 'RETR empty.txt')).data).toBe('')
    expect((await fetchData(control, server, 'RETR nope')).first).toMatch(/^550 /)
    control.close()
  })

  test('/big is computed from the offset', async () => {
    const control = await login(server)
    await control.ask('TYPE I')
    expect(await control.ask('SIZE /big')).toBe('213 2147483648\r\n')
    await control.ask('REST 2147483640')
    const { data } = await fetchData(control, server, 'RETR /big')
    expect([...data].map((char) => char.charCodeAt(0))).toEqual(
      Array.from({ length: 8 }, (_, index) => bigOctet(2147483640 + index)),
    )
    control.close()
  })

  test('no EPSV or PASV: 425', async () => {
    const control = await login(server)
    expect(await control.ask('RETR readme.txt')).toMatch(/^425 /)
    control.close()
  })

  test('PASV names a port of the same address', async () => {
    const control = await login(server)
    const reply = await control.ask('PASV')
    const [, high, low] = /^227 .*\(127,0,0,1,(\d+),(\d+)\)\.\r\n$/.exec(reply) ?? []
    const data = await Dialogue.to({ host: '127.0.0.1', port: Number(high) * 256 + Number(low) })
    expect(await control.ask('RETR readme.txt')).toMatch(/^150 /)
    expect(await data.rest()).toMatch(/^Retriever/)
    data.close()
    control.close()
  })

  test('EPSV ALL closes the other way; a wrong family is 522', async () => {
    const control = await login(server)
    expect(await control.ask('EPSV 2')).toMatch(/^522 .*\(1\)/)
    expect(await control.ask('EPSV ALL')).toMatch(/^200 /)
    expect(await control.ask('PASV')).toMatch(/^501 /)
    control.close()
  })

  test('ABOR ends a transfer: 426, then 226', async () => {
    const control = await login(server)
    await control.ask('TYPE I')
    const data = await passive(control, server)
    expect(await control.ask('RETR /big')).toMatch(/^150 /)
    data.socket.pause()
    expect(await control.ask('\xff\xf4\xff\xf2ABOR')).toMatch(/^426 /)
    expect(await control.reply()).toMatch(/^226 /)
    expect(await control.ask('NOOP')).toMatch(/^200 /)
    data.close()
    control.close()
  })

  test('a client that closes the data connection gets 426', async () => {
    const control = await login(server)
    await control.ask('TYPE I')
    const data = await passive(control, server)
    expect(await control.ask('RETR /big')).toMatch(/^150 /)
    data.close()
    expect(await control.reply()).toMatch(/^426 /)
    control.close()
  })
})

describe('listings', () => {
  test('NLST gives names, with the directory before them if one was named', async () => {
    const control = await login(server)
    expect((await fetchData(control, server, 'NLST pub/sub')).data).toBe('pub/sub/deep\r\n')
    await control.ask('CWD pub')
    expect((await fetchData(control, server, 'NLST')).data.split('\r\n')).toContain('a;type=d')
    expect((await fetchData(control, server, 'NLST hello.txt')).data).toBe('hello.txt\r\n')
    expect((await fetchData(control, server, 'NLST nothing')).data).toBe('')
    expect((await fetchData(control, server, 'NLST nope')).first).toMatch(/^550 /)
    control.close()
  })

  test('LIST gives long lines, also with an option', async () => {
    const control = await login(server)
    const { data } = await fetchData(control, server, 'LIST -a pub')
    expect(data).toContain('-rw-r--r--   1 ann      ann         4096 Feb  3  2001 a.bin\r\n')
    expect(data).toContain('drwxr-xr-x   2 ann      ann         4096 Feb  3  2001 sub\r\n')
    control.close()
  })

  test('MLSD and MLST give facts', async () => {
    const control = await login(server)
    const { data } = await fetchData(control, server, 'MLSD pub')
    expect(data).toMatch(/^type=cdir;/)
    expect(data).toContain('type=file;size=4096;modify=20010203040506;unix.mode=0644; a.bin\r\n')
    expect(data).toContain('type=dir;modify=20010203040506;unix.mode=0755; sub\r\n')
    expect(await control.ask('OPTS MLST type;size;')).toBe('200 MLST OPTS type;size;\r\n')
    expect(await control.ask('MLST pub/a.bin')).toBe('250-Begin\r\n type=file;size=4096; /pub/a.bin\r\n250 End\r\n')
    expect(await control.ask('MLST nope')).toMatch(/^550 /)
    expect(await control.ask('MDTM pub/a.bin')).toBe('213 20010203040506\r\n')
    control.close()
  })
})

test('pipelined commands are answered in order', async () => {
  const control = await login(server)
  control.send('CWD pub\r\nPWD\r\nCDUP\r\nPWD\r\nNOOP\r\n')
  expect(await control.reply()).toMatch(/^250/)
  expect(await control.reply()).toMatch(/^257 "\/pub"/)
  expect(await control.reply()).toMatch(/^250/)
  expect(await control.reply()).toMatch(/^257 "\/"/)
  expect(await control.reply()).toMatch(/^200/)
  control.close()
})

test('lines end at CRLF only, and are kept as they came', async () => {
  const control = await login(server)
  expect(await control.ask('CWD a\nb')).toMatch(/^550 /)
  expect(server.received.at(-1)).toBe('CWD a\nb')
  expect(await control.ask('RETR \xff\xff')).toMatch(/^550 /)
  expect(server.received.at(-1)).toBe('RETR \xff\xff')
  control.close()
})

test('FEAT, HELP, SYST and what is not there', async () => {
  const control = await login(server)
  expect(await control.ask('FEAT')).toContain('\r\n REST STREAM\r\n')
  expect(await control.ask('HELP')).toMatch(/RETR/)
  expect(await control.ask('SYST')).toMatch(/^215 /)
  expect(await control.ask('OPTS UTF8 ON')).toMatch(/^200 /)
  expect(await control.ask('STOR x')).toMatch(/^502 /)
  expect(await control.ask('PORT 127,0,0,1,1,1')).toMatch(/^502 /)
  expect(await control.ask('AUTH TLS')).toMatch(/^502 /)
  control.close()
})
