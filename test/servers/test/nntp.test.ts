import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNntpServer, type TestServer } from '../src/index.ts'
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

test('DATE and HELP', async () => {
  const news = await open()
  expect(await news.ask('DATE')).toMatch(/^111 \d{14}\r\n$/)
  expect(await block(news, 'HELP')).toMatch(/^100 .*\r\nARTICLE\r\n/)
  news.close()
})
