import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NntpServerOptions, startNntpServer, type TestServer } from '../src/index.ts'
import { Dialogue } from './dialogue.ts'

let server: TestServer
beforeAll(async () => {
  server = await startNntpServer()
})
afterAll(() => server.close())

async function open(to: TestServer = server): Promise<Dialogue> {
  const dialogue = await Dialogue.to(to)
  expect(await dialogue.line()).toMatch(/^200 /)
  return dialogue
}

async function block(dialogue: Dialogue, command: string): Promise<string> {
  dialogue.send(`${command}\r\n`)
  return dialogue.block()
}

test('capabilities and mode', async () => {
  const news = await open()
  const text = await block(news, 'CAPABILITIES')
  expect(text).toMatch(/^101 .*\r\nVERSION 2\r\n/)
  expect(text).toContain('\r\nREADER\r\n')
  expect(await news.ask('MODE READER')).toMatch(/^201 /)
  expect(await news.ask('FROB')).toMatch(/^500 /)
  expect(await news.ask('QUIT')).toMatch(/^205 /)
  expect(await news.rest()).toBe('')
})

test('LIST and its keywords', async () => {
  const news = await open()
  const active = 'retriever.announce 42 41 n\r\nretriever.empty 0 1 n\r\nretriever.test 6 1 n\r\n.\r\n'
  expect(await block(news, 'LIST')).toMatch(new RegExp(`^215 .*\r\n${active}$`))
  expect(await block(news, 'LIST ACTIVE retriever.*,!*.empty')).not.toContain('retriever.empty')
  expect(await block(news, 'list active *.tes?')).toMatch(/^215 .*\r\nretriever\.test 6 1 n\r\n\.\r\n$/)
  expect(await block(news, 'LIST NEWSGROUPS')).toContain('\r\nretriever.test\tTests.\r\n')
  expect(await block(news, 'LIST OVERVIEW.FMT')).toMatch(/\r\n:bytes\r\n:lines\r\n\.\r\n$/)
  expect(await news.ask('LIST MOTD')).toMatch(/^503 /)
  news.close()
})

test('groups', async () => {
  const news = await open()
  expect(await news.ask('STAT')).toMatch(/^412 /)
  expect(await news.ask('GROUP retriever.test')).toBe('211 6 1 6 retriever.test\r\n')
  expect(await news.ask('GROUP nope')).toMatch(/^411 /)
  expect(await news.ask('STAT')).toBe('223 1 <one@example.net>\r\n')
  expect(await news.ask('GROUP retriever.empty')).toBe('211 0 1 0 retriever.empty\r\n')
  expect(await news.ask('STAT')).toMatch(/^420 /)
  expect(await block(news, 'LISTGROUP retriever.announce')).toMatch(
    /^211 2 41 42 retriever\.announce .*\r\n41\r\n42\r\n\.\r\n$/,
  )
  expect(await block(news, 'LISTGROUP retriever.test 3-4')).toMatch(/\r\n3\r\n4\r\n\.\r\n$/)
  news.close()
})

test('articles by number, by message-id and the current one', async () => {
  const news = await open()
  expect(await news.ask('ARTICLE 1')).toMatch(/^412 /)
  await news.ask('GROUP retriever.test')
  const article = await block(news, 'ARTICLE 1')
  expect(article).toMatch(/^220 1 <one@example\.net>\r\nPath: .*\r\n\r\nOne line\.\r\n\.\r\n$/s)
  expect(await block(news, 'HEAD')).toMatch(/^221 1 .*\r\nMessage-ID: <one@example\.net>\r\n\.\r\n$/s)
  expect(await block(news, 'BODY <two@example.net>')).toBe(
    '222 0 <two@example.net>\r\n> One line.\r\n\r\nTwo lines.\r\n.\r\n',
  )
  expect(await news.ask('STAT')).toMatch(/^223 1 /)
  expect(await news.ask('STAT 99')).toMatch(/^423 /)
  expect(await news.ask('STAT <no@example.net>')).toMatch(/^430 /)
  expect(await news.ask('NEXT')).toBe('223 2 <two@example.net>\r\n')
  expect(await news.ask('LAST')).toMatch(/^223 1 /)
  expect(await news.ask('LAST')).toMatch(/^422 /)
  await news.ask('STAT 6')
  expect(await news.ask('NEXT')).toMatch(/^421 /)
  news.close()
})

test('dots are doubled', async () => {
  const news = await open()
  expect(await block(news, 'BODY <dots@example.net>')).toBe(
    '222 0 <dots@example.net>\r\n..\r\n...\r\n..leading dot\r\nin . the middle\r\n....\r\n.\r\n',
  )
  expect(await block(news, 'BODY <empty/body+odd%25@example.net>')).toMatch(/^222 .*\r\n\.\r\n$/)
  news.close()
})

test('UTF-8 and a multipart', async () => {
  const news = await open()
  const utf8 = Buffer.from(await block(news, 'ARTICLE <utf8@example.net>'), 'latin1').toString('utf8')
  expect(utf8).toContain('Subject: =?UTF-8?Q?')
  expect(utf8).toContain('\r\n\r\nGrüße, und das kostet 5 €.\r\n')
  expect(await block(news, 'ARTICLE <multipart@example.net>')).toMatch(
    /base64\r\nContent-Disposition: .*\r\n\r\nAAEC.*==\r\n\r\n--cut here--\r\n\.\r\n$/,
  )
  news.close()
})

test('overviews', async () => {
  const news = await open()
  expect(await news.ask('OVER')).toMatch(/^412 /)
  await news.ask('GROUP retriever.test')
  const over = await block(news, 'OVER 1-2')
  const size = (await block(news, 'ARTICLE 2')).length - '220 2 <two@example.net>\r\n'.length - '.\r\n'.length
  expect(over).toContain(
    `\r\n2\tRe: A first test\tAnn Author <ann@example.net>\tSat, 03 Feb 2001 04:05:06 +0000\t<two@example.net>\t<one@example.net>\t${size}\t3\r\n`,
  )
  expect((await block(news, 'XOVER 3-')).split('\r\n')).toHaveLength(7)
  expect(await news.ask('OVER 70-80')).toMatch(/^423 /)
  expect(await block(news, 'OVER <one@example.net>')).toMatch(/\r\n0\tA first test\t/)
  news.close()
})

test('a login where one is required', async () => {
  await using closed = await startNntpServer({ auth: 'required' })
  const news = await open(closed)
  expect(await block(news, 'CAPABILITIES')).toContain('AUTHINFO USER')
  expect(await news.ask('GROUP retriever.test')).toMatch(/^480 /)
  expect(await news.ask('AUTHINFO PASS secret')).toMatch(/^482 /)
  expect(await news.ask('AUTHINFO USER alice')).toMatch(/^381 /)
  expect(await news.ask('AUTHINFO PASS wrong')).toMatch(/^481 /)
  await news.ask('AUTHINFO USER alice')
  expect(await news.ask('AUTHINFO PASS secret')).toMatch(/^281 /)
  expect(await news.ask('GROUP retriever.test')).toMatch(/^211 /)
  expect(await news.ask('AUTHINFO USER alice')).toMatch(/^502 /)
  news.close()
})

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')

describe('AUTHINFO SASL PLAIN', () => {
  test('is offered beside AUTHINFO USER, and still named after the login', async () => {
    await using closed = await startNntpServer({ auth: 'required' })
    const news = await open(closed)
    expect(await block(news, 'CAPABILITIES')).toContain('\r\nAUTHINFO USER SASL\r\nSASL PLAIN\r\n')
    expect(await news.ask(`AUTHINFO SASL PLAIN ${base64('\0alice\0secret')}`)).toMatch(/^281 /)
    const after = await block(news, 'CAPABILITIES')
    expect(after).toContain('\r\nSASL PLAIN\r\n')
    expect(after).not.toContain('AUTHINFO')
    expect(await news.ask('GROUP retriever.test')).toMatch(/^211 /)
    expect(await news.ask('AUTHINFO SASL PLAIN =')).toMatch(/^502 /)
    news.close()
  })

  test.each([
    ['for oneself by name', 'alice\0alice\0secret', '281'],
    ['for somebody else', 'bob\0alice\0secret', '481'],
    ['a wrong password', '\0alice\0wrong', '481'],
    ['no such user', '\0mallory\0secret', '481'],
    ['too few parts', 'alice', '482'],
    ['too many parts', '\0alice\0secret\0', '482'],
  ])('%s, at once and after the challenge', async (_, message, code) => {
    await using closed = await startNntpServer({ auth: 'required', logins: ['sasl'] })
    const news = await open(closed)
    expect(await news.ask(`AUTHINFO SASL PLAIN ${base64(message)}`)).toMatch(new RegExp(`^${code} `))
    news.close()
    const later = await open(closed)
    expect(await later.ask('AUTHINFO SASL plain')).toBe('383 =\r\n')
    expect(await later.ask(base64(message))).toMatch(new RegExp(`^${code} `))
    expect(await later.ask('DATE')).toMatch(/^111 /)
    later.close()
  })

  test('what is no answer', async () => {
    await using closed = await startNntpServer({ auth: 'required' })
    const news = await open(closed)
    expect(await news.ask('AUTHINFO SASL CRAM-MD5')).toMatch(/^503 /)
    expect(await news.ask('AUTHINFO SASL PLAIN AAA')).toMatch(/^504 /)
    expect(await news.ask('AUTHINFO SASL PLAIN A=AA')).toMatch(/^504 /)
    expect(await news.ask('AUTHINFO SASL PLAIN =')).toMatch(/^482 /)
    await news.ask('AUTHINFO SASL PLAIN')
    expect(await news.ask('*')).toMatch(/^481 /)
    news.close()
  })

  test.each([
    [['user'], 'AUTHINFO USER', 'AUTHINFO SASL PLAIN AAAA'],
    [['sasl'], 'AUTHINFO SASL', 'AUTHINFO USER alice'],
  ] as const)('only %j', async (logins, offered, refused) => {
    await using closed = await startNntpServer({ auth: 'required', logins })
    const news = await open(closed)
    expect(await block(news, 'CAPABILITIES')).toContain(`\r\n${offered}\r\n`)
    expect(await news.ask(refused)).toMatch(/^501 /)
    news.close()
  })
})

describe('STARTTLS', () => {
  test.each([{}, { chunking: 'bytes' }, { latency: { up: 5, down: 5 } }] as const)(
    'the session begins anew, the login is taken only then; with %j',
    async (faults) => {
      await using closed = await startNntpServer({ tls: 'explicit', auth: 'required', faults })
      expect(closed.url).toMatch(/^nntp:/)
      const clear = await open(closed)
      expect(await block(clear, 'CAPABILITIES')).toContain('\r\nSTARTTLS\r\nAUTHINFO\r\n')
      expect(await clear.ask('AUTHINFO USER alice')).toMatch(/^483 /)
      expect(await clear.ask('AUTHINFO SASL PLAIN AAAA')).toMatch(/^483 /)
      expect(await clear.ask('STARTTLS')).toMatch(/^382 /)
      const news = await clear.secure()
      const capabilities = await block(news, 'CAPABILITIES')
      expect(capabilities).toContain('\r\nAUTHINFO USER SASL\r\n')
      expect(capabilities).not.toContain('STARTTLS')
      expect(await news.ask('STARTTLS')).toMatch(/^502 /)
      expect(await news.ask('AUTHINFO USER alice')).toMatch(/^381 /)
      expect(await news.ask('AUTHINFO PASS secret')).toMatch(/^281 /)
      expect(await news.ask('GROUP retriever.test')).toMatch(/^211 /)
      expect(await block(news, 'BODY 1')).toMatch(/^222 1 .*\r\nOne line\.\r\n\.\r\n$/)
      news.close()
    },
  )

  test('what came in clear is forgotten: a group, a user, commands behind STARTTLS', async () => {
    await using server = await startNntpServer({ tls: 'explicit' })
    const clear = await open(server)
    await clear.ask('GROUP retriever.test')
    await clear.ask('AUTHINFO USER alice')
    clear.send('STARTTLS\r\nGROUP retriever.test\r\n')
    expect(await clear.line()).toMatch(/^382 /)
    const news = await clear.secure()
    expect(await news.ask('STAT')).toMatch(/^412 /)
    expect(await news.ask('AUTHINFO PASS secret')).toMatch(/^482 /)
    news.close()
  })

  test.each<[string, NntpServerOptions, string, string]>([
    ['not offered', {}, 'DATE', '500'],
    ['after a login', { tls: 'explicit' }, 'AUTHINFO SASL PLAIN AGFsaWNlAHNlY3JldA==', '502'],
    ['refused', { tls: 'explicit', faults: { replies: { STARTTLS: '580 not now\r\n' } } }, 'DATE', '580'],
  ])('%s', async (_, options, before, code) => {
    await using server = await startNntpServer(options)
    const news = await open(server)
    await news.ask(before)
    expect(await news.ask('STARTTLS')).toMatch(new RegExp(`^${code} `))
    expect(await news.ask('DATE')).toMatch(/^111 /)
    news.close()
  })

  test('on a server of TLS from the first byte it is too late', async () => {
    await using server = await startNntpServer({ tls: true })
    const news = await Dialogue.tls(server)
    expect(await block(news, 'CAPABILITIES')).not.toContain('STARTTLS')
    news.close()
  })

  test('a handshake can stall', async () => {
    await using server = await startNntpServer({ tls: 'explicit', faults: { stall: 'tls' } })
    const news = await open(server)
    expect(await news.ask('STARTTLS')).toMatch(/^382 /)
    news.send('x')
    expect(await news.within(30)).toBe('')
    news.close()
    await server.waitForConnections(0)
  })
})

test('a private group wants a login although others do not', async () => {
  await using server = await startNntpServer({ private: ['retriever.private', 'retriever.announce'] })
  const news = await open(server)
  expect(await block(news, 'CAPABILITIES')).toContain('AUTHINFO USER SASL')
  expect(await news.ask('GROUP retriever.test')).toMatch(/^211 /)
  expect(await block(news, 'LIST')).toMatch(/^215 .*\r\nretriever\.empty .*\r\nretriever\.test .*\r\n\.\r\n$/)
  for (const command of ['GROUP retriever.private', 'LISTGROUP retriever.announce', 'ARTICLE <welcome@example.net>']) {
    expect(await news.ask(command), command).toMatch(/^480 /)
  }
  expect(await news.ask('OVER <private@retriever.private>')).toMatch(/^480 /)
  expect(await news.ask('STAT')).toMatch(/^223 1 /)
  await news.ask('AUTHINFO USER alice')
  await news.ask('AUTHINFO PASS secret')
  expect(await news.ask('GROUP retriever.private')).toBe('211 1 1 1 retriever.private\r\n')
  expect(await block(news, 'BODY 1')).toContain('\r\nNot for all.\r\n')
  expect(await block(news, 'LIST')).toContain('\r\nretriever.private 1 1 n\r\n')
  news.close()
})

describe('kinds of servers', () => {
  test('rfc977', async () => {
    await using server = await startNntpServer({ kind: 'rfc977', auth: 'required' })
    const news = await open(server)
    for (const command of ['CAPABILITIES', 'MODE READER', 'OVER 1', 'LISTGROUP', 'DATE', 'STARTTLS']) {
      expect(await news.ask(command), command).toMatch(/^500 /)
    }
    expect(await news.ask('GROUP retriever.test')).toMatch(/^480 /)
    expect(await news.ask('AUTHINFO SASL PLAIN')).toMatch(/^501 /)
    await news.ask('AUTHINFO USER alice')
    await news.ask('AUTHINFO PASS secret')
    expect(await news.ask('GROUP retriever.test')).toMatch(/^211 /)
    expect(await news.ask('ARTICLE 99')).toMatch(/^430 /)
    expect(await news.ask('LIST ACTIVE')).toMatch(/^501 /)
    expect(await block(news, 'LIST')).toContain('\r\nretriever.test 6 1 n\r\n')
    expect(await block(news, 'XOVER 1-')).toMatch(/^224 /)
    expect(await news.ask('XOVER 70-80')).toMatch(/^420 /)
    news.close()
  })

  test.each(['modern', 'rfc977'] as const)('%s without overviews', async (kind) => {
    await using server = await startNntpServer({ kind, overviews: false })
    const news = await open(server)
    await news.ask('GROUP retriever.test')
    expect(await news.ask('OVER 1')).toMatch(/^500 /)
    expect(await news.ask('XOVER 1')).toMatch(/^500 /)
    expect(await block(news, 'HELP')).not.toContain('OVER')
    expect(await block(news, 'HEAD 1')).toMatch(/^221 /)
    news.close()
  })

  test('transit', async () => {
    await using server = await startNntpServer({ kind: 'transit', auth: 'required' })
    const news = await open(server)
    expect(await block(news, 'CAPABILITIES')).toMatch(/\r\nMODE-READER\r\n\.\r\n$/)
    for (const command of ['GROUP retriever.test', 'ARTICLE 1', 'LIST', 'AUTHINFO USER alice']) {
      expect(await news.ask(command), command).toBe('401 MODE-READER\r\n')
    }
    expect(await news.ask('MODE READER')).toMatch(/^201 /)
    expect(await block(news, 'CAPABILITIES')).toContain('\r\nREADER\r\n')
    expect(await news.ask('GROUP retriever.test')).toMatch(/^480 /)
    expect(await news.ask('AUTHINFO USER alice')).toMatch(/^381 /)
    news.close()
  })

  test('TLS does not undo MODE READER', async () => {
    await using server = await startNntpServer({ kind: 'transit', tls: 'explicit' })
    const clear = await open(server)
    expect(await clear.ask('STARTTLS')).toMatch(/^401 /)
    await clear.ask('MODE READER')
    expect(await clear.ask('STARTTLS')).toMatch(/^382 /)
    const news = await clear.secure()
    expect(await news.ask('GROUP retriever.test')).toMatch(/^211 /)
    news.close()
  })
})

describe('a large group', () => {
  test('a million articles, each made when it is asked for, and always the same', async () => {
    await using server = await startNntpServer({ articles: 1_000_000 })
    const news = await open(server)
    expect(await news.ask('GROUP retriever.many')).toBe('211 1000000 1 1000000 retriever.many\r\n')
    const article = await block(news, 'ARTICLE 999999')
    expect(article).toContain('\r\nMessage-ID: <many-999999@example.net>\r\n')
    expect(article).toContain('\r\n\r\nThis is article 999999.\r\n..\r\n...\r\n..999999\r\n')
    expect(article.length).toBeLessThan(1000)
    expect(await block(news, 'ARTICLE <many-999999@example.net>')).toBe(article.replace('220 999999', '220 0'))
    expect(await news.ask('STAT <many-1000001@example.net>')).toMatch(/^430 /)
    expect(await news.ask('NEXT')).toMatch(/^223 1000000 /)
    expect(await news.ask('NEXT')).toMatch(/^421 /)
    expect(await block(news, 'LISTGROUP retriever.many 999998-')).toMatch(/\r\n999998\r\n999999\r\n1000000\r\n\.\r\n$/)
    const overviews = (await block(news, 'OVER 999991-1000000')).split('\r\n').slice(1, -2)
    expect(overviews.map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual([
      '999991 Thread 999991',
      ...Array.from({ length: 9 }, (_, index) => `${999_992 + index} Re: Thread 999991`),
    ])
    expect(overviews[1]).toContain('\t<many-999991@example.net>\t')
    news.close()
  })

  test.each([{ articles: -1 }, { articles: 1.5 }, { kind: 'usenet' }, { logins: [] }, { logins: ['gssapi'] }])(
    '%j is a TypeError',
    async (options) => {
      await expect(startNntpServer(options as NntpServerOptions)).rejects.toThrow(TypeError)
    },
  )
})

test('pipelined commands are answered in order', async () => {
  await using server = await startNntpServer({ articles: 100, faults: { chunking: 'glued' } })
  const news = await open(server)
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
  news.send(`GROUP retriever.many\r\n${numbers.map((number) => `BODY ${number}\r\n`).join('')}QUIT\r\n`)
  expect(await news.line()).toMatch(/^211 /)
  for (const number of numbers) {
    expect(await news.block()).toMatch(new RegExp(`^222 ${number} <.*\r\nThis is article ${number}\\.\r\n`))
  }
  expect(await news.rest()).toMatch(/^205 .*\r\n$/)
  expect(server.received).toHaveLength(102)
})

describe('closeAfter', () => {
  test('so many commands are answered, with their blocks; then the connection ends', async () => {
    await using server = await startNntpServer({ faults: { closeAfter: 2 } })
    for (let connection = 0; connection < 2; connection++) {
      const news = await open(server)
      news.send('GROUP retriever.test\r\nBODY 1\r\nBODY 2\r\n')
      expect(await news.rest()).toMatch(/^211 .*\r\n222 1 .*\r\nOne line\.\r\n\.\r\n$/)
      expect(news.error).toBe(undefined)
      news.close()
    }
  })

  test('0: after the greeting', async () => {
    await using server = await startNntpServer({ faults: { closeAfter: 0 } })
    const news = await Dialogue.to(server)
    expect(await news.rest()).toMatch(/^200 [^\n]*\n$/)
  })
})

test('DATE and HELP', async () => {
  const news = await open()
  expect(await news.ask('DATE')).toMatch(/^111 \d{14}\r\n$/)
  expect(await block(news, 'HELP')).toMatch(/^100 .*\r\nARTICLE\r\n/)
  news.close()
})
