/** RequestOptions.charset: the caller knows better than the server what charset a text is in. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@retriever/fetchers'
import { startFtpServer, startGopherServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { remarks } from '../support/events.ts'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { listed, told } from '../support/outcome.ts'

/** «привет» in KOI8-R, one octet a character. */
const koi8 = '\xd0\xd2\xc9\xd7\xc5\xd4'
const hello = 'привет'
const request = { charset: 'KOI8-R' }

test('text() is in it, whatever the server says, and the octets stay', async () => {
  const answer = () => retrieved(chunks(Buffer.from(koi8, 'latin1')), { mediaType: 'text/html', charset: 'utf-8' })
  await using client = createClient({ fetchers: [fakeHttp(answer)] })
  const text = await client.retrieve('http://h/', request)
  expect(text.charset).toBe('koi8-r')
  expect(await text.text()).toBe(hello)
  expect(Buffer.from(await (await client.retrieve('http://h/', request)).bytes()).toString('latin1')).toBe(koi8)
  expect((await client.retrieve('http://h/')).charset).toBe('utf-8')
})

test('a byte order mark counts more', async () => {
  const answer = () => retrieved(chunks(Buffer.from('\ufeffgrün')), { charset: null })
  await using client = createClient({ fetchers: [fakeHttp(answer)] })
  expect(await (await client.retrieve('http://h/', request)).text()).toBe('grün')
})

test('of a Gopher text, a menu and attributes', async () => {
  const menu = `0${koi8}\t/${koi8}\th\t70\r\ni${koi8}\t\tnull.host\t1\r\n${koi8}\r\n.\r\n`
  const attributes = `+-1\r\n+INFO: 0${koi8}\t/x\th\t70\r\n+ABSTRACT:\r\n ${koi8}\r\n+X:\r\n ${koi8}\r\n.\r\n`
  const replies = { '/t': `${koi8}\r\n`, '/m': menu, '/x\t!': attributes }
  await using server = await startGopherServer({ faults: { replies } })
  const { got, events } = await told(async (client) => (await client.retrieve(`${server.url}0/t`, request)).text())
  expect(got).toBe(`${hello}\r\n`)
  expect(remarks(events)).toEqual([])
  const entries = (await listed(`${server.url}1/m`, {}, request)).got
  expect(entries?.map(({ name }) => name)).toEqual([hello, hello, hello])
  // The URL has the octets of the server.
  expect(entries?.[0]?.url).toBe('gopher://h/0/%D0%D2%C9%D7%C5%D4')
  expect((await listed(`${server.url}0/x%09%09!`, {}, request)).got).toMatchObject([
    { name: hello, details: { attributes: { ABSTRACT: hello, X: [hello] } } },
  ])
})

test('of the names in an FTP directory', async () => {
  await using server = await startFtpServer({ files: { [`/${hello}.txt`]: 'x' } })
  const names = async (charset?: string) =>
    (await listed(server.url, {}, charset === undefined ? {} : { charset })).got?.map(({ name }) => name)
  expect(await names()).toContain(`${hello}.txt`)
  expect(await names('windows-1252')).toContain('Ð¿Ñ€Ð¸Ð²ÐµÑ‚.txt')
})

test('of a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'retrieve-test-'))
  try {
    await writeFile(join(folder, 'a.txt'), koi8, 'latin1')
    await using client = createClient()
    const text = await client.retrieve(pathToFileURL(join(folder, 'a.txt')), request)
    expect(await text.text()).toBe(hello)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.each(['x-nobody', '', 5, 'utf-8; x'])('%j is no charset', async (charset) => {
  await using client = createClient()
  const error = await failure(client.retrieve('gopher://127.0.0.1:1/0x', { charset } as never))
  expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining('name of a charset') })
})
