import { domainToASCII } from 'node:url'
import { isLoopback } from '@retriever/core/internal'
import { describe, expect, test } from 'vitest'
import { parseHost, parseIpv6 } from '../../../packages/core/src/url/host.ts'

describe('one address, many spellings (threats.md case 20)', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', false],
    ['0177.0.0.1', '127.0.0.1', true],
    ['0x7f.0.0.1', '127.0.0.1', true],
    ['0X7F.1', '127.0.0.1', true],
    ['127.1', '127.0.0.1', true],
    ['127.0.1', '127.0.0.1', true],
    ['2130706433', '127.0.0.1', true],
    ['0x7f000001', '127.0.0.1', true],
    ['017700000001', '127.0.0.1', true],
    ['127.0.0.1.', '127.0.0.1', true],
    ['0', '0.0.0.0', true],
    ['0x', '0.0.0.0', true],
    ['255.255.255.255', '255.255.255.255', false],
    ['4294967295', '255.255.255.255', true],
    ['1.2.3', '1.2.0.3', true],
    ['1.65536', '1.1.0.0', true],
  ])('%s is %s', (text, name, odd) => {
    expect(parseHost(text)).toEqual({ name, kind: 'ipv4', odd })
  })

  test.each(['256.0.0.1', '1.2.3.256', '1.2.3.4.5', '4294967296', '1.16777216', '08.0.0.1', '0x1ffffffff', '1.2.3.0x'])(
    '%s is none',
    (text) => {
      const host = parseHost(text)
      if (text === '1.2.3.0x') expect(host?.name).toBe('1.2.3.0')
      else expect(host).toBeUndefined()
    },
  )

  test('full-width digits and dots', () => {
    expect(parseHost('127。0。0。1', domainToASCII)).toEqual({ name: '127.0.0.1', kind: 'ipv4', odd: true })
    expect(parseHost('１２７.0.0.1', domainToASCII)).toEqual({ name: '127.0.0.1', kind: 'ipv4', odd: true })
  })
})

describe('IPv6 is written as RFC 5952 section 4 asks', () => {
  test.each([
    ['[2001:0db8::0001]', '2001:db8::1'],
    ['[2001:DB8:0:0:1:0:0:1]', '2001:db8::1:0:0:1'],
    ['[2001:db8:0:1:1:1:1:1]', '2001:db8:0:1:1:1:1:1'],
    ['[2001:0:0:1:0:0:0:1]', '2001:0:0:1::1'],
    ['[0:0:0:0:0:0:0:0]', '::'],
    ['[::1]', '::1'],
    ['[1::]', '1::'],
    ['[1:0:0:0:0:0:0:0]', '1::'],
    ['[::ffff:192.0.2.1]', '::ffff:c000:201'],
    ['[fe80::1%25eth0]', 'fe80::1%eth0'],
    ['[FE80::1%25Eth0]', 'fe80::1%Eth0'],
    ['[10:0:0:0:0:0:0:10]', '10::10'],
  ])('%s is %s', (text, name) => {
    expect(parseHost(text)).toEqual({ name, kind: 'ipv6', odd: false })
  })

  test.each([
    '[]',
    '[:]',
    '[:::]',
    '[1:2:3:4:5:6:7]',
    '[1:2:3:4:5:6:7:8:9]',
    '[1::2::3]',
    '[12345::]',
    '[g::]',
    '[::1',
    '[1:2:3:4:5:6:7::8]x',
    '[::256.1.1.1]',
    '[::01.2.3.4]',
    '[1.2.3.4::]',
    '[fe80::1%25]',
    '[fe80::1%eth0]',
    '[fe80::1%25a/b]',
    '[v1.x]',
  ])('%s is none', (text) => {
    expect(parseHost(text)).toBeUndefined()
  })

  test('groups', () => {
    expect(parseIpv6('1::8')).toEqual([1, 0, 0, 0, 0, 0, 0, 8])
    expect(parseIpv6('1:2:3:4:5:6:7::')).toEqual([1, 2, 3, 4, 5, 6, 7, 0])
  })
})

describe('names', () => {
  test.each([
    ['Example.COM', 'example.com'],
    ['h', 'h'],
    ['h.', 'h.'],
    ['a_b.example', 'a_b.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['1and1.com', '1and1.com'],
    ['3com.x9', '3com.x9'],
  ])('%s is %s', (text, name) => {
    expect(parseHost(text)).toEqual({ name, kind: 'name', odd: false })
  })

  test.each([
    ['empty', ''],
    ['a dot', '.'],
    ['two dots at its end', 'h..'],
    ['an empty label', 'a..b'],
    ['a leading dot', '.a'],
    ['a leading -, an option to helpers', '-h'],
    ['a leading + likewise', '+h'],
    ['a label of 64', `${'a'.repeat(64)}.example`],
    ['254 characters and a dot', `${'a.'.repeat(127)}a.`],
    ['a blank', 'a b'],
    ['a semicolon', 'h;id'],
    ['a slash', 'a/b'],
    ['NUL', 'a\0'],
    ['CRLF', 'a\r\nb'],
    ['a line feed at its end', 'a\n'],
    ['an IDN without toAscii', 'bücher.example'],
  ])('%s is none', (_, text) => {
    expect(parseHost(text)).toBeUndefined()
  })

  test('a label of 63 and a name of 253 are', () => {
    expect(parseHost('a'.repeat(63))?.kind).toBe('name')
    expect(parseHost(`${'a.'.repeat(126)}a`)?.name).toHaveLength(253)
  })

  test('an internationalised name becomes A-labels', () => {
    expect(parseHost('BÜCHER.example', domainToASCII)?.name).toBe('xn--bcher-kva.example')
    expect(parseHost('a\u2028b', domainToASCII)).toBeUndefined()
  })

  test('the canonical form is its own', () => {
    for (const text of ['0x7f.1', 'EXAMPLE.com', 'h.']) {
      const name = parseHost(text)?.name ?? ''
      expect(parseHost(name)?.name).toBe(name)
    }
  })
})

test.each(['localhost', 'localhost.', 'a.localhost', '127.0.0.1', '127.255.0.3', '::1', '::ffff:7f00:1'])(
  '%s is loopback',
  (name) => expect(isLoopback(name)).toBe(true),
)

test.each(['localhost.example', '128.0.0.1', '::2', 'h', '1.127.0.0.1', '::ffff:8000:1', '127.example'])(
  '%s is not',
  (name) => expect(isLoopback(name)).toBe(false),
)
