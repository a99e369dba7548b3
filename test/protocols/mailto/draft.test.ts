/** The draft of a mailto URL: RFC 5322 with RFC 2047, 2045 and 6532, as RFC 6068 asks for. */
import { createClient } from '@retriever/fetchers'
import { readMessage } from '@retriever/fetchers/mime'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../support/events.ts'
import { failure } from '../../support/failure.ts'

const client = createClient()

async function draft(url: string): Promise<string> {
  const representation = await client.retrieve(url)
  return Buffer.from(await representation.bytes()).toString()
}

/** The header fields before those of the body, unfolded. */
async function fields(url: string): Promise<string[]> {
  const [header = ''] = (await draft(url)).split('\r\n\r\n')
  const lines = header.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  return lines.filter((line) => !/^(?:MIME-Version|Content-)/.test(line))
}

test('the whole draft', async () => {
  expect(await draft('mailto:infobot@example.com?subject=current-issue&body=send%20it%0D%0Asend%20index')).toBe(
    'To: infobot@example.com\r\n' +
      'Subject: current-issue\r\n' +
      'MIME-Version: 1.0\r\n' +
      'Content-Type: text/plain; charset=us-ascii\r\n' +
      'Content-Transfer-Encoding: 7bit\r\n' +
      '\r\n' +
      'send it\r\nsend index\r\n',
  )
})

test.each<[url: string, ...expected: string[]]>([
  // RFC 6068 6
  ['mailto:chris@example.com', 'To: chris@example.com'],
  ['mailto:addr1@an.example?to=addr2@an.example', 'To: addr1@an.example, addr2@an.example'],
  ['mailto:'],
  ['mailto:?subject=x', 'Subject: x'],
  ['mailto:joe@example.com?cc=bob@example.com', 'To: joe@example.com', 'Cc: bob@example.com'],
  [
    'mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E',
    'To: list@example.org',
    'In-Reply-To: <3469A91.D10AF4C@example.com>',
  ],
  ['mailto:gorby%25kremvax@example.com', 'To: gorby%kremvax@example.com'],
  ['mailto:unlikely%3Faddress@example.com', 'To: unlikely?address@example.com'],
  ['mailto:Mike%26family@example.org', 'To: Mike&family@example.org'],
  ['mailto:%22not%40me%22@example.org', 'To: "not@me"@example.org'],
  ['mailto:%22oh%5C%5Cno%22@example.org', 'To: "oh\\\\no"@example.org'],
  ["mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org", 'To: "\\\\\\"it\'s\\ ugly\\\\\\""@example.org'],
  ['mailto:user@example.org?subject=caf%C3%A9', 'To: user@example.org', 'Subject: =?utf-8?Q?caf=C3=A9?='],
  [
    'mailto:user@example.org?subject=%3D%3Futf-8%3FQ%3Fcaf%3DC3%3DA9%3F%3D',
    'To: user@example.org',
    'Subject: =?utf-8?Q?caf=C3=A9?=',
  ],
  ['mailto:user@%E7%B4%8D%E8%B1%86.example.org', 'To: user@xn--99zt52a.example.org'],
  // RFC 6532: encoded words are not allowed in an address.
  ['mailto:j%C3%B6rg@example.org', 'To: jörg@example.org'],
  // A comma that was escaped belongs to the address.
  ['mailto:a%2Cb@x.example,c@x.example', 'To: "a,b"@x.example, c@x.example'],
  ['mailto:a%3Cb%5Cc@x.example', 'To: "a<b\\\\c"@x.example'],
  ['mailto:a..b@[192.0.2.1]', 'To: "a..b"@[192.0.2.1]'],
  [
    'mailto:?cc=Joe%20Doe%20%3Cjoe@x.example%3E,%22Doe,%20Ann%22%20%3Cann@x.example%3E',
    'Cc: Joe Doe <joe@x.example>, "Doe, Ann" <ann@x.example>',
  ],
  ['mailto:?cc=J%C3%B6rg%20%3Cj@x.example%3E', 'Cc: =?utf-8?Q?J=C3=B6rg?= <j@x.example>'],
  ['mailto:?keywords=a%20b,caf%C3%A9,x(y', 'Keywords: a b, =?utf-8?Q?caf=C3=A9?=, "x(y"'],
  ['mailto:?subject=%E4%BB%8A%E6%97%A5%E3%81%AF', 'Subject: =?utf-8?B?5LuK5pel44Gv?='],
  ['mailto:?subject=a%1B%5D52;c', 'Subject: =?utf-8?Q?a=1B=5D52=3Bc?='],
  ['mailto:?subject=two%20%20blanks', 'Subject: two  blanks'],
  ['mailto:?subject=caf%E9', 'Subject: =?utf-8?Q?caf=C3=A9?='],
])('%s', async (url, ...expected) => {
  expect(await fields(url)).toEqual(expected)
})

describe('threats.md case 45', () => {
  test('attachments, the sender, hidden recipients and the like are left out', async () => {
    const others = [
      'attach=/etc/passwd',
      'attachment=x',
      'From=c@d',
      'Bcc=c@d',
      'Resent-To=c@d',
      'Content-Type=x',
      'Date=x',
      'X-Y=z',
      'Apparently-To=c@d',
      'Reply-To=c@d',
    ]
    const representation = await client.retrieve(`mailto:a@b?${others.join('&')}&subject=x`)
    expect(representation.findings.filter(({ code }) => code === 'unsafe-header')).toHaveLength(others.length)
    const text = await representation.text()
    expect(text).toMatch(
      /^To: a@b\r\nSubject: x\r\nMIME-Version: 1\.0\r\nContent-Type: text\/plain; charset=us-ascii\r\n/,
    )
    expect(text).not.toMatch(/passwd|c@d/)
  })

  test.each([
    'mailto:a@b%0d%0aBcc:c@d',
    'mailto:a@b?subject=x%0D%0ABcc:c@d',
    'mailto:?cc=a@b%0ABcc:c@d',
    'mailto:?to=a@b%0DBcc:c@d',
    'mailto:?subject=%00',
    'mailto:?body=%00',
  ])('%s is refused, allowed or not', async (url) => {
    expect(await failure(client.retrieve(url))).toMatchObject({ code: 'refused', phase: 'policy' })
    if (url.includes('body')) return
    await using careless = createClient({ policy: { allow: ['header-injection'] } })
    expect(await failure(careless.retrieve(url))).toMatchObject({ code: 'refused', phase: 'policy' })
  })

  test.each([
    'mailto:a@b%2Cc.example',
    'mailto:a@b%3Cc',
    'mailto:a@%22b',
    'mailto:a%1Bb@c',
    'mailto:a%FFb@c',
    'mailto:@c',
    'mailto:?cc=nobody',
    'mailto:?cc=x%3A%20a@b,c@d%3B',
    'mailto:a@-b',
    'mailto:a@b..c',
  ])('%s is no address', async (url) => {
    expect(await failure(client.retrieve(url))).toMatchObject({ code: 'malformed-url' })
  })

  test('no text of a URL begins another field, or a line of the header', async () => {
    const hostile = [
      '\u2028Bcc: c@d',
      '\u0085Bcc: c@d',
      '\x0bBcc: c@d',
      '\x0cx',
      '\tx',
      'x'.repeat(3000),
      'ab '.repeat(400),
      '=?utf-8?Q?=0D=0ABcc:_c@d?=',
      ' '.repeat(200),
      'é'.repeat(500),
    ]
    for (const text of hostile) {
      for (const name of ['subject', 'keywords', 'in-reply-to', 'references']) {
        const octets = await draft(`mailto:a@b?${name}=${encodeURIComponent(text)}`)
        const [header = ''] = octets.split('\r\n\r\n')
        for (const line of header.split('\r\n')) {
          expect(line).toMatch(
            /^(?:(?:To|Subject|Keywords|In-Reply-To|References|MIME-Version|Content-[A-Za-z-]+): |[ ])/,
          )
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998)
          // A line of blanks alone would end the header for some readers.
          if (text.trim() !== '') expect(line).toMatch(/[^ ]/)
        }
      }
    }
  })
})

test('a value that is no message-id is left out, and told', async () => {
  const events: Parameters<typeof remarks>[0][number][] = []
  const representation = await client.retrieve('mailto:a@b?in-reply-to=x', { onEvent: (event) => events.push(event) })
  expect(await representation.text()).not.toContain('In-Reply-To')
  expect(remarks(events)).toEqual([expect.stringContaining('in-reply-to')])
})

test('a header with UTF-8 is message/global (RFC 6532)', async () => {
  expect((await client.retrieve('mailto:j%C3%B6rg@example.org')).mediaType).toBe('message/global')
  expect((await client.retrieve('mailto:a@b?subject=%C3%B6&body=%C3%B6')).mediaType).toBe('message/rfc822')
})

test('long lists and subjects are folded at 78 characters', async () => {
  const addresses = Array.from({ length: 30 }, (_, index) => `someone.number.${index}@mail.example.org`)
  const subject = 'A subject of many words, '.repeat(20).trim()
  const text = await draft(`mailto:${addresses.join(',')}?subject=${encodeURIComponent(subject)}`)
  for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78)
  const message = await readMessage(Buffer.from(text))
  expect(message.subject).toBe(subject)
  expect(text.replace(/\r\n /g, ' ')).toContain(`To: ${addresses.join(', ')}\r\n`)
})

describe('the message reader has back what the URL says', () => {
  test.each([
    ['plain', 'x', 'x\r\ny'],
    ['accents', 'Grüße aus Köln', 'Schöne Grüße\r\n\r\nJörg'],
    ['a long text of another alphabet', 'Сегодня '.repeat(30).trim(), 'Сегодня '.repeat(200).trim()],
    ['emoji', '👩‍👩‍👧 '.repeat(20).trim(), '👩‍👩‍👧'.repeat(40)],
    ['lines of blanks, and blanks at their ends', 'a', 'a \r\n\t\r\n b\t\r\n=3D = é'],
    ['a line over 998 characters', 'a', 'x'.repeat(2000)],
    ['a long word', 'x'.repeat(2000), ''],
  ])('%s', async (_, subject, body) => {
    const text = await draft(`mailto:a@b?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`)
    for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998)
    const message = await readMessage(Buffer.from(text))
    expect(message.subject).toBe(subject)
    expect(message.text.replace(/\r?\n$/, '').replaceAll(/\r?\n/g, '\r\n')).toBe(body)
  })
})
