import { createClient } from '@retriever/fetchers'
import { charsetOf } from '@retriever/fetchers/internal'
import { describe, expect, test } from 'vitest'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { expectLinear, filled } from '../support/growth.ts'

async function textOf(octets: Uint8Array, mediaType: string | null, charset: string | null = null): Promise<string> {
  const client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks(octets), { mediaType, charset }))] })
  return (await client.retrieve('http://h/')).text()
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

describe('a byte order mark', () => {
  test.each([
    ['UTF-8', Buffer.from('\ufeffgrün')],
    ['UTF-16LE', Buffer.from('\ufeffgrün', 'utf16le')],
    ['UTF-16BE', utf16be('\ufeffgrün')],
  ])('of %s counts more than the metadata, and is no text', async (_, octets) => {
    expect(await textOf(octets, 'text/plain')).toBe('grün')
    expect(await textOf(octets, 'text/html', 'iso-8859-1')).toBe('grün')
  })

  test('half of one is none', async () => {
    expect(await textOf(latin1('\xEF\xBBx'), 'text/plain')).toBe('ï»x')
    expect(await textOf(latin1('\xFF'), 'text/plain')).toBe('ÿ')
    expect(await textOf(Buffer.alloc(0), 'text/plain')).toBe('')
  })
})

describe('the charset of the metadata', () => {
  test.each([
    ['iso-8859-15', latin1('\xA4'), '€'],
    ['ISO-8859-15', latin1('\xA4'), '€'],
    ['windows-1252', latin1('\x80'), '€'],
    ['shift_jis', latin1('\x93\xFA\x96{'), '日本'],
    ['utf-16be', utf16be('grün'), 'grün'],
    ['utf-8', latin1('gr\xFCn'), 'gr\ufffdn'],
  ])('%s', async (charset, octets, text) => {
    expect(await textOf(octets, 'text/plain', charset)).toBe(text)
  })

  test('counts more than what the text says', async () => {
    const octets = Buffer.from('<meta charset=koi8-r>ü')
    expect(await textOf(octets, 'text/html', 'utf-8')).toBe('<meta charset=koi8-r>ü')
  })

  test('that nobody knows is passed over', async () => {
    expect(await textOf(Buffer.from('grün'), 'text/plain', 'no-such-charset')).toBe('grün')
    expect(await textOf(latin1('gr\xFCn'), 'text/plain', 'no-such-charset')).toBe('grün')
    expect(await textOf(latin1('<meta charset=koi8-r>\xC1'), 'text/html', 'constructor')).toMatch(/а$/)
  })
})

/** In KOI8-R, Latin-1 and (not valid) UTF-8 three different things. */
const octet = '\xC1'
const [cyrillic, western] = ['а', 'Á']

describe('HTML says so itself', () => {
  test.each([
    '<meta charset=koi8-r>',
    '<!DOCTYPE html><html lang="de"><head><title>a > b</title><META CharSet = "KOI8-R" />',
    "<meta name='x' content='<meta charset=utf-8>'><meta/charset='koi8-r'>",
    '<a title="<meta charset=utf-8>" href=x><meta\n\tcharset="\tkoi8-r\n">',
    '<!-- <meta charset=utf-8> --><meta charset=koi8-r>',
    '<!--><meta charset=koi8-r>',
    '<!-- > <meta charset=utf-8> -- > --><meta charset=koi8-r>',
    '<meta charset=no-such><meta charset=koi8-r>',
    '<meta charset=koi8-r charset=utf-8>',
    '<metadata charset=utf-8><meta charset=koi8-r>',
    '</meta charset=utf-8><meta charset=koi8-r>',
    '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
    '<meta content=\'text/html;CHARSET = "koi8-r"\' http-equiv=content-type>',
    "<meta http-equiv='content-type' content=\"text/html; charset='koi8-r'; x=y\">",
  ])('%s', async (beginning) => {
    for (const mediaType of ['text/html', 'application/xhtml+xml']) {
      expect(await textOf(latin1(beginning + octet), mediaType)).toBe(beginning + cyrillic)
    }
  })

  test.each([
    '<meta content="text/html; charset=koi8-r">',
    '<meta http-equiv=refresh content="text/html; charset=koi8-r">',
    '<!-- <meta charset=koi8-r>',
    '<meta charset="koi8-r>',
    '< meta charset=koi8-r>',
    'charset=koi8-r',
    '<meta charset=koi8-r',
    '<p title="<meta charset=koi8-r>">',
    '<meta charset=>',
    '<meta charset=constructor>',
  ])('not so: %s', async (beginning) => {
    expect(await textOf(latin1(beginning + octet), 'text/html')).toBe(beginning + western)
  })

  test('in its first 1024 octets, whole', async () => {
    const meta = '<meta charset=koi8-r>'
    for (const [length, shown] of [
      [1024 - meta.length, cyrillic],
      [1025 - meta.length, western],
    ] as const) {
      const beginning = ' '.repeat(length) + meta
      expect(await textOf(latin1(beginning + octet), 'text/html')).toBe(beginning + shown)
    }
  })

  test('utf-16 said in ASCII is UTF-8', async () => {
    expect(await textOf(Buffer.from('<meta charset=utf-16be>ü'), 'text/html')).toMatch(/ü$/)
    expect(await textOf(Buffer.from('<?xml version="1.0" encoding="UTF-16"?>ü'), 'text/xml')).toMatch(/ü$/)
  })

  test('and nothing else does', async () => {
    for (const mediaType of ['text/plain', 'text/xml', 'application/json', null]) {
      expect(await textOf(latin1(`<meta charset=koi8-r>${octet}`), mediaType)).toBe(`<meta charset=koi8-r>${western}`)
    }
  })
})

describe('XML says so itself', () => {
  test.each([
    '<?xml version="1.0" encoding="koi8-r"?>',
    "<?xml version='1.0' encoding='KOI8-R' standalone='yes'?>",
    '<?xml\n encoding = "koi8-r"?>',
  ])('%s', async (beginning) => {
    for (const mediaType of ['text/xml', 'application/xml', 'application/rss+xml', 'application/xhtml+xml']) {
      expect(await textOf(latin1(beginning + octet), mediaType)).toBe(beginning + cyrillic)
    }
  })

  test.each([
    ' <?xml version="1.0" encoding="koi8-r"?>',
    '<?xml-stylesheet encoding="koi8-r"?>',
    '<?xml version="1.0"?><a encoding="koi8-r"/>',
    '<?xml version="1.0" xencoding="koi8-r"?>',
  ])('not so: %s', async (beginning) => {
    expect(await textOf(latin1(beginning + octet), 'application/xml')).toBe(beginning + western)
  })
})

test('a hostile beginning costs no time', async () => {
  for (const piece of ['<meta ', '<meta a="', '<!--', '<a', "<meta '", '=', '<?xml ', '<meta content=charset ']) {
    const text = piece.repeat(20_000)
    expect(await textOf(latin1(text), 'application/xhtml+xml')).toBe(text)
  }
})

test('the charset of an HTML part of nothing but open tags is looked for in linear time', async () => {
  const metadata = { mediaType: 'text/html', charset: null }
  for (const piece of ['<a', '<a "', "<a='", '<a b', '<!--<a', '<a/', '</a ', '<meta charset', '<a b=c']) {
    await expectLinear(8192, (length) => {
      const part = latin1(filled(piece, length))
      for (let count = 0; count < 20; count++) charsetOf(part, metadata)
    })
  }
})
