import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient, type Fetcher, type RetrieveOptions } from '@retriever/fetchers'
import { startHttpServer, startNntpServer } from '@retriever/servers'
import { afterAll, describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { failure } from '../../support/failure.ts'
import { image, lines, multipart, part, picture, related } from './support/messages.ts'

const folder = mkdtempSync(join(tmpdir(), 'retriever-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes a file, and gives its URL. */
function file(path: string, octets: string | Uint8Array): string {
  const all = join(folder, path)
  mkdirSync(join(all, '..'), { recursive: true })
  writeFileSync(all, octets)
  return pathToFileURL(all).href
}

async function textOf(url: string, options: RetrieveOptions): Promise<string> {
  await using client = createClient()
  return await (await client.retrieve(url, options)).text()
}

async function metadataOf(url: string, base: string): Promise<unknown> {
  await using client = createClient()
  const found = await client.retrieve(url, { base })
  await found.cancel()
  return { mediaType: found.mediaType, ...found.metadata }
}

async function failureAt(url: string, options: RetrieveOptions): Promise<unknown> {
  await using client = createClient()
  return await failure(client.retrieve(url, options))
}

const text = (contentId: string, body: string, type = 'text/plain'): string[] =>
  part([`Content-Type: ${type}; charset=utf-8`, `Content-ID: ${contentId}`], body)

describe('a part of a message', () => {
  test('its text is in the charset that it names', async () => {
    const html = part(['Content-Type: text/html; charset=iso-8859-1', 'Content-ID: <t@h>'], 'B\xe4r')
    expect(await textOf('cid:t@h', { base: file('charset.eml', lines(...multipart('mixed', [], html))) })).toBe('Bär')
  })

  test.each([
    ['cid:a%2Fb@c', '<a/b@c>'],
    ['cid:foo4%25foo1@bar.net', '<foo4%foo1@bar.net>'],
    ['cid:foo4%25foo1@bar.net', '<foo4%25foo1@bar.net>'],
    ['cid:image001', '<image001>'],
    ['cid:bare@h', 'bare@h'],
    ['cid:folded@h', '\r\n <folded@h>'],
    ['cid:caf%C3%A9@h', `<${Buffer.from('café@h').toString('latin1')}>`],
    ['CID:a@b#c', '<a@b>'],
  ])('%s: Content-ID %j', async (url, id) => {
    const base = file('id.eml', lines(...multipart('mixed', ['Message-ID: <m@h>'], text('<other@h>', 'x'), image(id))))
    expect(await metadataOf(url, base)).toMatchObject({ mediaType: 'image/png', number: '2' })
  })

  test('case counts; a part that is only named like the URL is another one', async () => {
    const base = file(
      'case.eml',
      lines(...multipart('mixed', [], image('<A@h>'), part(['Content-Disposition: x; filename="cid:b@h"'], 'x'))),
    )
    expect(await failureAt('cid:a@h', { base })).toMatchObject({ code: 'not-found' })
    expect(await failureAt('cid:b@h', { base })).toMatchObject({ code: 'not-found' })
  })

  test('within a message within the message, with its number', async () => {
    const inner = part(['Content-Type: message/rfc822'], ...related('inner@h', 'p@h'))
    const base = file('nested.eml', lines(...multipart('mixed', ['Message-ID: <outer@h>'], text('<t@h>', 'x'), inner)))
    const found = { number: '2.2', contentId: 'p@h', mediaType: 'image/png' }
    expect(await metadataOf('cid:p@h', base)).toMatchObject({ ...found, messageId: 'outer@h' })
    expect(await metadataOf('mid:inner@h/p@h', base)).toMatchObject({ ...found, messageId: 'inner@h' })
    expect(await metadataOf('mid:inner@h', base)).toMatchObject({ number: '2', mediaType: 'message/rfc822' })
    expect(await failureAt('mid:outer@h/q@h', { base })).toMatchObject({ code: 'not-found' })
  })

  test('a multipart has a Content-ID, too: its octets, with the lines between its parts', async () => {
    const id = ['Content-ID: <all@h>']
    const inner = multipart('related', id, image('<p@h>'), text('<t@h>', 'x'))
    const octets = lines(...inner).toString('latin1')
    const body = octets.slice(octets.indexOf('\r\n\r\n') + 4)
    const base = file('multipart.eml', lines(...multipart('mixed', ['Message-ID: <m@h>'], inner, text('<u@h>', 'u'))))
    for (const url of ['cid:all@h', 'mid:m@h/all@h']) {
      expect(await textOf(url, { base })).toBe(body)
      expect(await metadataOf(url, base)).toMatchObject({ mediaType: 'multipart/related', number: null })
    }
    const cut = lines(...multipart('mixed', [], inner.slice(0, -1), text('<u@h>', 'u')))
    const unended = body.split('\r\n').slice(0, -2).join('\r\n')
    expect(await textOf('cid:all@h', { base: file('cut.eml', cut) })).toBe(unended)
    expect(await textOf('cid:all@h', { base: file('alone.eml', lines(...inner)) })).toBe(body)
    const rich = multipart('alternative', [], text('<all@h>', 'plain'), inner)
    expect(await textOf('cid:all@h', { base: file('rich.eml', lines(...rich)) })).toBe(body)
  })

  test('one Content-ID of several parts: of alternatives the last, else the first', async () => {
    const same = [text('<x@h>', 'plain'), text('<x@h>', 'rich', 'text/html')]
    const alternative = file('alternative.eml', lines(...multipart('alternative', [], ...same)))
    expect(await textOf('cid:x@h', { base: alternative })).toBe('rich')
    expect(await textOf('cid:x@h', { base: file('mixed.eml', lines(...multipart('mixed', [], ...same))) })).toBe(
      'plain',
    )
    const deep = multipart('alternative', [], text('<x@h>', 'plain'), multipart('related', [], text('<x@h>', 'deep')))
    expect(await textOf('cid:x@h', { base: file('deep.eml', lines(...deep)) })).toBe('deep')
    const external = part(['Content-Type: message/external-body; access-type=URL', 'Content-ID: <x@h>'], '')
    const without = multipart('alternative', [], text('<x@h>', 'plain'), external)
    expect(await textOf('cid:x@h', { base: file('external.eml', lines(...without)) })).toBe('plain')
  })

  test('entries have the URLs of the parts', async () => {
    const base = file('entries.eml', lines(...related('m@h', 'a/b@h')))
    await using client = createClient()
    const whole = await client.retrieve('mid:m@h', { base })
    expect(whole).toMatchObject({ mediaType: 'message/rfc822', kind: 'object', metadata: { number: null } })
    const [, entry] = await entriesOf(whole)
    const [url, cid] = [entry?.url, entry?.details?.cid]
    expect({ url, cid }).toEqual({ url: 'mid:m@h/a%2Fb@h', cid: 'cid:a%2Fb@h' })
    for (const each of [url, cid]) {
      expect(picture.equals(await (await client.retrieve(String(each), { base })).bytes())).toBe(true)
    }
  })
})

describe('mailboxes and folders', () => {
  const messages = ['one', 'two', 'three'].map((name) => related(`${name}@h`, `${name}.p@h`, name))
  const mbox = messages.map((each) => `From a@b.example Sun Nov 22 10:00:00 2026\r\n${lines(...each)}\r\n`).join('')

  test.each(['\r\n', '\n'])('mbox, lines that end in %j', async (end) => {
    const base = file('mbox', mbox.replaceAll('\r\n', end))
    for (const name of ['one', 'two', 'three']) {
      expect(await metadataOf(`cid:${name}.p@h`, base)).toMatchObject({ messageId: `${name}@h`, number: '2' })
      const expected = lines(...related(`${name}@h`, `${name}.p@h`, name))
        .toString()
        .replaceAll('\r\n', end)
      expect(await textOf(`mid:${name}@h`, { base })).toBe(expected)
    }
    const error = await failureAt('mid:four@h', { base })
    expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining('No message of the 3') })
  })

  test('mbox: a From within a text begins no message, and the > that protects one is removed', async () => {
    const body = ['', '>From me', '>>From you', '> From us', '', 'From here on', '>Fro', 'From 10:00 on']
    const one = ['Message-ID: <m@h>', 'Content-ID: <t@h>', ...body].join('\n')
    const base = file('quoted.mbox', `From a 10:00\n${one}\n\nFrom b 10:00\nMessage-ID: <n@h>\n\nEnd\n`)
    const expected = 'From me\n>From you\n> From us\n\nFrom here on\n>Fro\nFrom 10:00 on\n'
    expect(await textOf('cid:t@h', { base })).toBe(expected)
    expect(await textOf('mid:n@h', { base })).toBe('Message-ID: <n@h>\n\nEnd\n')
  })

  test('mbox: however the octets are cut', async () => {
    for (const size of [1, 2, 7, 64, 1001]) {
      const octets = Buffer.from(mbox)
      const body = async function* (): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < octets.length; at += size) yield new Uint8Array(octets.subarray(at, at + size))
      }
      await using client = createClient({ fetchers: [fake(body, 'application/mbox')] })
      const found = await client.retrieve('mid:two@h', { base: 'http://h.example/' })
      expect(lines(...(messages[1] ?? [])).equals(await found.bytes())).toBe(true)
    }
  })

  test('Maildir: what is in new and cur, whatever the names; nothing else', async () => {
    for (const [index, name] of ['new/1.a.h', 'cur/x:2,S', 'tmp/3.c.h'].entries()) {
      file(`Maildir/${name}`, lines(...(messages[index] ?? [])))
    }
    const base = `${pathToFileURL(join(folder, 'Maildir')).href}/`
    expect(await metadataOf('mid:one@h/one.p@h', base)).toMatchObject({ base: expect.stringMatching(/new\/1\.a\.h$/) })
    expect(await metadataOf('cid:two.p@h', base)).toMatchObject({ messageId: 'two@h' })
    expect(await failureAt('mid:three@h', { base })).toMatchObject({ code: 'not-found' })
    // Maildir++: folders of the Maildir.
    file('Maildir/.Sub/new/4', lines(...(messages[2] ?? [])))
    file('Maildir/.other/x.eml', lines(...related('x@h', 'x.p@h')))
    expect(await failureAt('mid:three@h', { base })).toMatchObject({ code: 'not-found' })
    mkdirSync(join(folder, 'Maildir/.Sub/cur'))
    expect(await metadataOf('cid:three.p@h', base)).toMatchObject({ base: expect.stringMatching(/\.Sub\/new\/4$/) })
    expect(await failureAt('mid:x@h', { base })).toMatchObject({ code: 'not-found' })
  })

  test('a folder: files that are named like messages; links are not followed', async () => {
    file('mails/a.eml', lines(...(messages[0] ?? [])))
    file('mails/17', lines(...(messages[1] ?? [])))
    const other = file('mails/notes.txt', lines(...(messages[2] ?? [])))
    symlinkSync(new URL(other), join(folder, 'mails/link.eml'))
    const base = `${pathToFileURL(join(folder, 'mails')).href}/`
    expect(await metadataOf('cid:one.p@h', base)).toMatchObject({ number: '2' })
    expect(await metadataOf('mid:two@h', base)).toMatchObject({ number: null })
    const error = await failureAt('mid:three@h', { base })
    expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining('No message of the 2') })
  })

  test('more files than a fetcher may retrieve of a server', async () => {
    for (let number = 1; number <= 1100; number++) file(`many/${number}`, `Message-ID: <${number}@h>\n\nx\n`)
    const base = `${pathToFileURL(join(folder, 'many')).href}/`
    expect(await textOf('mid:1099@h', { base })).toBe('Message-ID: <1099@h>\n\nx\n')
  })
})

describe('a message of a server', () => {
  test('an article of News, a file of HTTP', async () => {
    const octets = lines(...related('m@h.example', 'p@h'))
    const replies = { 'ARTICLE <m@h.example>': `220 0 <m@h.example>\r\n${octets}\r\n.\r\n` }
    await using news = await startNntpServer({ faults: { replies } })
    await using client = createClient()
    const base = `news://${news.host}:${news.port}/m@h.example`
    expect(picture.equals(await (await client.retrieve('cid:p@h', { base })).bytes())).toBe(true)
    const [entry] = (await entriesOf(await client.retrieve(base))).filter(({ details }) => details?.cid !== undefined)
    expect(entry).toMatchObject({ url: 'mid:m@h.example/p@h', details: { cid: 'cid:p@h' } })
  })

  test.each(['text/plain', 'application/octet-stream', null, 'message/rfc822'])('media type %s', async (mediaType) => {
    const octets = lines(...related('m@h', 'p@h'))
    await using client = createClient({
      fetchers: [
        fake(async function* () {
          yield octets
        }, mediaType),
      ],
    })
    const found = await client.retrieve('cid:p@h', { base: 'http://h.example/' })
    expect(picture.equals(await found.bytes())).toBe(true)
  })

  test.each([
    ['text/html', 'From: a\n\nx'],
    ['text/plain', '<p>no message'],
    [null, ''],
    [null, '\0\0\0'],
  ])('%s %j is none, and the error names the option', async (mediaType, octets) => {
    await using client = createClient({
      fetchers: [
        fake(async function* () {
          yield Buffer.from(octets)
        }, mediaType),
      ],
    })
    const error = await failure(client.retrieve('cid:p@h', { base: 'http://h.example/' }))
    expect(error).toMatchObject({ code: 'invalid-option', advice: { option: 'base' } })
  })

  test('a listing of a server is none, and nothing that it names is retrieved', async () => {
    const urls: string[] = []
    const listing = fake(async function* () {}, 'text/html', 'listing')
    await using client = createClient({ fetchers: [listing], onEvent: ({ url }) => void urls.push(url) })
    const error = await failure(client.retrieve('cid:p@h', { base: 'http://h.example/' }))
    expect(error).toMatchObject({ code: 'invalid-option' })
    expect(new Set(urls)).toEqual(new Set(['cid:p@h', 'http://h.example/']))
  })
})

describe('hostile', () => {
  const octets = lines(...related('m@h', 'p@h'))

  test('a page of a server reaches no message of this machine; a local one does', async () => {
    const base = file('local.eml', octets)
    await using client = createClient()
    for (const linkedFrom of ['http://h.example/mail', 'gopher://h.example/', 'news://h.example/m@h']) {
      const error = await failure(client.retrieve('cid:p@h', { base, linkedFrom }))
      expect(error).toMatchObject({ code: 'refused', phase: 'policy' })
    }
    const found = await client.retrieve('cid:p@h', { base, linkedFrom: base })
    expect(picture.equals(await found.bytes())).toBe(true)
  })

  test('nor a message of the network behind it', async () => {
    await using server = await startHttpServer()
    await using client = createClient()
    const options = { base: server.url, linkedFrom: 'http://h.example/mail' }
    expect(await failure(client.retrieve('cid:p@h', options))).toMatchObject({ code: 'refused' })
    expect(server.requests).toEqual([])
  })

  test.each([{ policy: { publicOnly: true } }, { policy: { schemes: ['cid'] } }])(
    '%j holds for the message',
    async (options) => {
      const base = file('local.eml', octets)
      await using client = createClient(options)
      expect(await failure(client.retrieve('cid:p@h', { base }))).toMatchObject({ code: 'refused' })
    },
  )

  test('a redirect to a part, or from the message to a file, is refused', async () => {
    const base = file('local.eml', octets)
    for (const location of ['cid:p@h', base]) {
      const retrieve = async () => ({ outcome: 'redirect', location, status: 302 }) as const
      await using client = createClient({ fetchers: [{ mechanism: 'http', retrieve }] })
      const asked = location === base ? 'cid:p@h' : 'http://h.example/'
      expect(await failure(client.retrieve(asked, { base: 'http://h.example/' }))).toMatchObject({ code: 'refused' })
    }
  })

  test('a fetcher that retrieves a part gets no base of the caller', async () => {
    const base = file('local.eml', octets)
    const fetcher = {
      mechanism: 'http' as const,
      retrieve: async (_plan: unknown, context: { retrieve(url: string): Promise<unknown> }) => {
        await context.retrieve('cid:p@h')
        throw new Error('It was retrieved')
      },
    }
    await using client = createClient({ fetchers: [fetcher as never] })
    expect(await failure(client.retrieve('http://h.example/', { base }))).toMatchObject({ code: 'invalid-option' })
  })

  test.each(['cid:p@h', 'mid:m@h', 'nosuch.eml'])('the base %s leads nowhere', async (base) => {
    expect(await failureAt('cid:p@h', { base })).toMatchObject({ code: 'invalid-option' })
  })

  test('too large, in a message, a mailbox, a folder: nothing is held beyond the limit', async () => {
    const limits = { maxCollected: 1000 }
    let sent = 0
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('Message-ID: <m@h>\n\n')
      for (; sent < 1000; sent++) yield Buffer.alloc(100, 0x61)
    }
    const base = 'http://h.example/'
    await using client = createClient({ fetchers: [fake(endless, 'message/rfc822')], limits })
    expect(await failure(client.retrieve('mid:m@h', { base }))).toMatchObject({ code: 'limit-exceeded' })
    expect(sent).toBeLessThan(30)
    const large = `Message-ID: <large@h>\n\n${'x'.repeat(2000)}\n`
    const small = 'Message-ID: <small@h>\n\nx\n'
    const mbox = file('large.mbox', `From a 10:00\n${large}\nFrom a 10:00\n${small}`)
    expect(await textOf('mid:small@h', { base: mbox, limits })).toBe(small)
    const error = await failureAt('mid:large@h', { base: mbox, limits })
    expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining('1 could not be read') })
    file('sizes/1', large)
    file('sizes/2', small)
    expect(await textOf('mid:small@h', { base: `${new URL('sizes/', mbox)}`, limits })).toBe(small)
  })

  test('too many parts; ids with control characters are shown harmless', async () => {
    const many = Array.from({ length: 1001 }, () => text('<x@h>', 'x'))
    const base = file('parts.eml', lines(...multipart('mixed', [], ...many)))
    expect(await failureAt('cid:x@h', { base })).toMatchObject({ code: 'limit-exceeded' })
    const other = file('x.eml', octets)
    const error = await failureAt('cid:%1B%5B2J@h', { base: other })
    expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining('<\\e[2J@h>') })
  })

  test('a mailbox of From lines alone', async () => {
    const base = file('from.mbox', 'From a 10:00\n\n'.repeat(200_000))
    expect(await failureAt('mid:m@h', { base })).toMatchObject({ code: 'not-found' })
    const quoted = file('quotes.mbox', `From a 10:00\nMessage-ID: <m@h>\n\n${'>From \n'.repeat(200_000)}`)
    expect(await textOf('mid:m@h', { base: quoted })).toBe(`Message-ID: <m@h>\n\n${'From \n'.repeat(200_000)}`)
  })
})

/** A fetcher of HTTP that gives these octets. */
function fake(
  body: () => AsyncIterable<Uint8Array>,
  mediaType: string | null,
  kind: 'object' | 'listing' = 'object',
): Fetcher<'http'> {
  return {
    mechanism: 'http',
    retrieve: async () => ({
      outcome: 'retrieved',
      kind,
      mediaType,
      charset: null,
      size: null,
      modified: null,
      completeness: 'eof-only',
      metadata: { status: 200, headers: {}, fields: [] },
      body: body(),
    }),
  }
}
