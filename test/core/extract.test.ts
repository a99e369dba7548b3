import { type ExtractedUrl, extractUrls, type Scheme } from '@retriever/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinear, filled } from '../support/growth.ts'
import { runs } from '../support/runs.ts'

const all = (text: string): ExtractedUrl[] => [...extractUrls(text)]
const urls = (text: string): string[] => all(text).map(({ url }) => url)

describe('the examples of the specifications', () => {
  test('RFC 1738 appendix', () => {
    const text = `   Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
      type=d> but you can probably pick it up from <URL:ftp://ds.in
      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
      net/instructions/overview.html#WARNING>.
`
    expect(urls(text)).toEqual([
      'ftp://info.cern.ch/pub/www/doc;type=d',
      'ftp://ds.internic.net/rfc',
      'http://ds.internic.net/instructions/overview.html#WARNING',
    ])
    expect(all(text)).toMatchObject(Array(3).fill({ form: 'wrapped', alternates: [], error: null }))
  })

  test('RFC 3986 appendix C', () => {
    const text = `      Yes, Jim, I found it under "http://www.w3.org/Addressing/",
      but you can probably pick it up from <ftp://foo.example.
      com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
      ietf/uri/historical.html#WARNING>.
`
    expect(all(text).map(({ url, form }) => [url, form])).toEqual([
      ['http://www.w3.org/Addressing/', 'quoted'],
      ['ftp://foo.example.com/rfc/', 'wrapped'],
      ['http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING', 'wrapped'],
    ])
  })

  test('uri(7): quotes, brackets, and what stands within quotes belongs to the URL', () => {
    const text = '(e.g., "http://www.kernel.org"), enclosed in angle brackets (e.g., <http://lwn.net>), "http://h/x."'
    expect(urls(text)).toEqual(['http://www.kernel.org', 'http://lwn.net', 'http://h/x.'])
  })
})

describe('a hyphen before a line break', () => {
  test.each([
    ['<URL:http://h/a-\n  b>', ['http://h/a-b', 'http://h/ab']],
    ['<http://h/a-\r\n\tb>', ['http://h/a-b', 'http://h/ab']],
    ['<URL:http://h/a-  \n  b>', ['http://h/a-b', 'http://h/ab']],
    ['<URL:http://h/a-\nb-\nc>', ['http://h/a-b-c', 'http://h/a-bc', 'http://h/ab-c', 'http://h/abc']],
    ['<URL:http://h/a-\nb-\nc-\nd>', ['http://h/a-b-c-d', 'http://h/a-bc-d', 'http://h/ab-c-d', 'http://h/abc-d']],
    ['<URL:http://h/a-\n-\nb>', ['http://h/a--b', 'http://h/a-b', 'http://h/ab']],
    ['<URL:http://h/a--\nb>', ['http://h/a--b', 'http://h/a-b']],
    ['<URL:http://h/a-b\n-c>', ['http://h/a-b-c']],
    ['<URL:http://h/a-\n>', ['http://h/a-']],
    ['<URL:http://h/a- b>', ['http://h/a-b']],
  ])('%j', (text, readings) => {
    const [found] = all(text)
    expect([found?.url, ...(found?.alternates ?? [])]).toEqual(readings)
  })
})

describe('wrapped', () => {
  test.each([
    ['<URL:http://h/a b\tc>', 'http://h/abc'],
    ['<url: http://h/x >', 'http://h/x'],
    ['<http://h/ >', 'http://h/'],
    ['<URL:news:comp.lang.c>', 'news:comp.lang.c'],
    ['<mailto:joe@example.com>', 'mailto:joe@example.com'],
    ['<foo://h/x>', 'foo://h/x'],
    ['<URL:foo:bar>', 'foo:bar'],
    ['<URL:http://h/(a).>', 'http://h/(a).'],
    ['a<http://h/>b', 'http://h/'],
    ['<URL:http://h/a\n\n  b>', 'http://h/ab'],
    ['⟨http://h/a\n  /b⟩', 'http://h/a/b'],
    ['<info:(gcc)G++ and\n   GCC>', 'info:(gcc)G++ and GCC'],
    ['<http://h/info:(gcc)x>', 'http://h/info:(gcc)x'],
    ['<URL:http://h/a\r\n \t\r\nb>', 'http://h/ab'],
  ])('%j', (text, url) => {
    const span = [text.search(/[<⟨]/), text.search(/[>⟩]/) + 1]
    expect(all(text)).toMatchObject([{ url, span, form: 'wrapped', error: null, alternates: [] }])
  })

  test.each([
    ['<URL:../x>', '../x', /it has no scheme/],
    ['<URL:not a URL>', 'notaURL', /it has no scheme/],
    ['<URL:http://h:x/>', 'http://h:x/', /the port must be a number/],
    ['<http://h/%zz>', 'http://h/%zz', /two hexadecimal digits/],
    ['<URL: >', '', /it has no scheme/],
  ])('%j is no URL, and it is said why and where', (text, url, reason) => {
    expect(all(`see ${text}.`)).toEqual([
      { url, alternates: [], span: [4, 4 + text.length], form: 'wrapped', error: expect.stringMatching(reason) },
    ])
  })

  test('no name of an Info node has quotes', () => {
    expect(urls('<info:(gcc)a"b>')).toEqual([])
  })

  test('a password in what is no URL is not told', () => {
    expect(all('<URL:ftp://u:secret@h:x/>')[0]?.error).toMatch(/u:\*\*\*@h/)
  })

  test.each([
    ['<URL:http://h/a and more', ['http://h/a']],
    ['<URL:http://h/a\n\n\nand more>', ['http://h/a']],
    ['<http://h/a\n\nand more>', ['http://h/a']],
    ['<URL:http://h/a <URL:http://h/b>', ['http://h/a', 'http://h/b']],
    ['<URL:', []],
    ['<URL:>', []],
    ['<http://h/', ['http://h/']],
  ])('%j has no end', (text, expected) => {
    expect(urls(text)).toEqual(expected)
    expect(all(text).every(({ form }) => form === 'bare')).toBe(!text.includes('h/b>'))
  })

  test('an end behind 70,000 blanks is none', () => {
    expect(urls(`<URL:http://h/${' '.repeat(70_000)}x>`)).toEqual(['http://h/'])
  })
})

describe('bare', () => {
  test.each([
    ['See http://h/a.', 'http://h/a'],
    ['http://h/a, or', 'http://h/a'],
    ['Is it http://h/a?', 'http://h/a'],
    ['http://h/a?b!', 'http://h/a?b'],
    ['http://h/a...', 'http://h/a'],
    ['(http://h/a)', 'http://h/a'],
    ['(see http://h/a).', 'http://h/a'],
    ['http://h/a_(b)', 'http://h/a_(b)'],
    ['(http://h/a_(b))', 'http://h/a_(b)'],
    ['(see http://h/a).Then', 'http://h/a'],
    ['(or http://h/a_(b))x', 'http://h/a_(b)'],
    ['~~http://h/a~~', 'http://h/a'],
    ['http://h/~~', 'http://h/~~'],
    ['[http://h/a]', 'http://h/a'],
    ['[text](http://h/a)', 'http://h/a'],
    ['http://[::1]:8080/x.', 'http://[::1]:8080/x'],
    ["'http://h/a'", 'http://h/a'],
    ["it is 'http://h/a'.", 'http://h/a'],
    ['*http://h/a*', 'http://h/a'],
    ['__http://h/a__', 'http://h/a'],
    ['`http://h/a`', 'http://h/a'],
    ['{http://h/a}', 'http://h/a'],
    ['http://h/a|b', 'http://h/a'],
    ['news:*', 'news:*'],
    ['ftp://h/pub/*', 'ftp://h/pub/*'],
    ['http://h/a_', 'http://h/a_'],
    ['mailto:joe@example.com.', 'mailto:joe@example.com'],
    ['man:ls(1),', 'man:ls(1)'],
    ['(man:ls(1))', 'man:ls(1)'],
    ['URL:http://h/a', 'http://h/a'],
    ['More info:http://h/a', 'http://h/a'],
    ['view-source:http://h/a', 'http://h/a'],
    ['HTTP://H/a', 'HTTP://H/a'],
    ['foo://h/x', 'foo://h/x'],
    ['git+ssh://h/x', 'git+ssh://h/x'],
    ['file:///etc/motd', 'file:///etc/motd'],
    ['file:/etc/motd', 'file:/etc/motd'],
    ['news:comp.lang.c', 'news:comp.lang.c'],
    ['urn:ietf:rfc:8141', 'urn:ietf:rfc:8141'],
    ['data:,A%20brief%20note', 'data:,A%20brief%20note'],
    ['&lt;http://h/a&gt;', 'http://h/a'],
    ['>http://h/a\r', 'http://h/a'],
    ['http://h/a\u202E', 'http://h/a'],
  ])('%j', (text, url) => {
    expect(urls(text)).toEqual([url])
  })

  test.each([
    ['http://a/\r\nhttp://b/\r\n', ['http://a/', 'http://b/']],
    ["['http://a/','http://b/']", ['http://a/', 'http://b/']],
    ['["http://a/","http://b/"]', ['http://a/', 'http://b/']],
    ['[http://a/](http://b/)', ['http://a/', 'http://b/']],
    ['(http://a/),(http://b/)', ['http://a/', 'http://b/']],
    ['ftp://a/x;type=a; http://b/', ['ftp://a/x;type=a', 'http://b/']],
    ['http://a/,http://b/,mailto:c@d', ['http://a/', 'http://b/', 'mailto:c@d']],
    ['http://a/x,y,z', ['http://a/x,y,z']],
    ['data:,a,http://b/', ['data:,a,http://b/']],
    ['http://a/a%zz,http://b/', ['http://a/a%zz', 'http://b/']],
  ])('several: %j', (text, expected) => {
    expect(urls(text)).toEqual(expected)
  })

  test.each([
    'http://',
    'http:///x',
    'http:x',
    'foo:bar',
    'unknown: http',
    'xhttp:/',
    'C://x',
    '12://x',
    'http://a@b@c/',
    'http://h:port/',
    'mailto:',
    'data: http',
    'Note: this. Re: that, at 12:30',
    'x'.repeat(40).concat('://h/'),
    '8ftp://h/',
  ])('%j is none', (text) => {
    expect(urls(text)).toEqual([])
  })

  test('one of 70,000 characters is none', () => {
    expect(urls(`http://h/${'x'.repeat(70_000)}`)).toEqual([])
  })

  test.each([1, 2, 31, 32])('a URL right behind a word with a colon, with a scheme of %i letters', (length) => {
    const url = `${'a'.repeat(length)}://h/`
    expect(urls(`More info:${url}`)).toEqual(length === 1 ? [] : [url])
  })

  test('a bad escape is reported, and nothing else that stands bare', () => {
    expect(all('at http://h/100% of it')).toEqual([
      {
        url: 'http://h/100%',
        alternates: [],
        span: [3, 16],
        form: 'bare',
        error: expect.stringMatching(/two hexadecimal digits must follow %/),
      },
    ])
    expect(all('http://h:x/% news:a%')).toEqual([])
  })

  test('nothing false in C++, TypeScript and style sheets', () => {
    const source = `#include <iostream>
template <typename T> struct info::detail<T> : public data::base { };
std::vector<std::string> v; data::size(v); file::open("x"); map<std::string, news::item> m; // note: x
class A { public: int news; private: int b; }; for (auto x: data) label: goto label; std::cout << a ? b : c;
interface A { data:Buffer; file:string; urn:any } const a = { data:1, 'mid':2, http:x, ftp:y }
a.info:hover, #news:first-child { color:red; background:url(x.png) } .urn::before { content:"" }
`
    expect(urls(source)).toEqual([])
  })

  test('of HTML and XML, the URLs that stand in it', () => {
    const page = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:data="urn:x-data:1"><p style="color:red"><a href='http://h/a'>http://h/b</a>
<a href=http://h/c>c</a><data:value a="1">2</data:value><info:node a="x">y</info:node><svg:rect/><img src="data:image/png;base64,AAAA"></p>
`
    expect(urls(page)).toEqual([
      'http://www.w3.org/TR/xhtml1/DTD/xhtml1.dtd',
      'http://www.w3.org/1999/xhtml',
      'urn:x-data:1',
      'http://h/a',
      'http://h/b',
      'http://h/c',
      'data:image/png;base64,AAAA',
    ])
  })

  test.each([
    ['Siehe „http://bücher.example/grüße“.', 'http://bücher.example/grüße'],
    ['詳しくはhttp://example.com/a。', 'http://example.com/a'],
    ['（http://example.com/a）', 'http://example.com/a'],
    ['« http://h/é »', 'http://h/é'],
    ['«http://h/é»', 'http://h/é'],
    ['“http://h/a.”', 'http://h/a.'],
    ['😀http://h/😀 x', 'http://h/😀'],
    ['http://h/a…', 'http://h/a'],
    ['http://h/a\uD800', 'http://h/a'],
  ])('text beyond ASCII: %j', (text, url) => {
    const [found] = all(text)
    expect(found?.url).toBe(url)
    expect(text.slice(...(found?.span ?? [0, 0]))).toBe(url)
  })

  test('schemes of the caller count', () => {
    const [known] = [...extractUrls('mailto:a@b')]
    expect(known?.url).toBe('mailto:a@b')
    const own = { name: 'x-own', host: 'none', query: true, mechanism: 'urn', lineParts: [] } as unknown as Scheme
    const scheme: Scheme = {
      ...own,
      resolve: () => ({ mechanism: 'toc', service: 'toc', start: '', wire: [] }) as never,
    }
    expect([...extractUrls('see x-own:a.', { schemes: [scheme] })]).toMatchObject([{ url: 'x-own:a' }])
    expect(urls('see x-own:a.')).toEqual([])
  })
})

describe('any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...['<URL:', '<', '>', 'http://h/a', 'ftp://', 'news:a.b', 'mailto:a@b', 'data:', ':', '//', '(', ')', '[', ']'],
      ...[
        '-\n',
        '\r\n',
        '\n\n',
        ' ',
        '"',
        "'",
        '“',
        '”',
        '.',
        '%41',
        '%',
        '#',
        '@',
        'é',
        '😀',
        '*',
        '_',
        '\x1B',
        '&gt;',
        '&amp;',
      ],
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

  test('spans are in order, do not overlap, and hold what was found', () => {
    fc.assert(
      fc.property(text, (content) => {
        let end = 0
        for (const { url, alternates, span, form, error } of extractUrls(content)) {
          expect(span[0]).toBeGreaterThanOrEqual(end)
          expect(span[1]).toBeGreaterThan(span[0])
          end = span[1]
          expect(end).toBeLessThanOrEqual(content.length)
          const written = content.slice(...span)
          if (form === 'wrapped') expect(written.replace(/^[<⟨](?:URL:)?|[>⟩]$|\s/gi, '')).toBe(url.replace(/ /g, ''))
          else expect(written.replaceAll('&amp;', '&')).toBe(url)
          expect(alternates.length).toBeLessThan(4)
          expect(url).not.toMatch(/\s/)
          if (form !== 'wrapped' && error !== null) expect(error).toContain('two hexadecimal digits must follow %')
        }
      }),
      { numRuns: runs(5000) },
    )
  })

  test('a URL is found again in what was found', () => {
    fc.assert(
      fc.property(text, (content) => {
        for (const { url, error } of extractUrls(content)) {
          if (error === null) expect(urls(`<URL:${url}>`)).toEqual([url])
        }
      }),
      { numRuns: runs(2000) },
    )
  })
})

describe('any text is read in linear time', () => {
  test.each(
    [
      ...[
        'http:',
        '<URL:',
        ':',
        'a',
        '(',
        '<',
        'a:',
        'news:',
        'data:',
        'http://h/(',
        'http://h/ ',
        '<http://',
        '<news:',
        "'data:",
        "x'data:",
        ',http:',
      ],
      ...[
        '-\n',
        '<URL:-\n',
        '\n ',
        'http://h/a(b) ',
        "'http://",
        '[http://h/',
        'info:info:',
        '😀',
        '&gt',
        'mailto:a@',
        '::',
      ],
      ...[
        'http://@',
        `<URL:${' '.repeat(1000)}`,
        `<URL:http://h/${'-\n'.repeat(30_000)}> `,
        `news:${'a:'.repeat(9000)} `,
      ],
      ...[`x${')'.repeat(60_000)}http://h/${')'.repeat(60_000)} `, `http://h/${'%41'.repeat(20_000)} `],
    ].map((seed) => [seed.slice(0, 24), seed] as const),
  )('%j', { timeout: 60_000 }, (_, seed) =>
    expectLinear(400_000, (length) => {
      const text = filled(seed, length)
      let found = 0
      for (const { span } of extractUrls(text)) found += span[1] - span[0]
      expect(found).toBeLessThanOrEqual(text.length)
    }),
  )
})

test('&amp; is & in HTML, and the other reading is kept', () => {
  expect(all('<a href="http://h/a?b=1&amp;c=2">')).toMatchObject([
    { url: 'http://h/a?b=1&c=2', alternates: ['http://h/a?b=1&amp;c=2'], span: [9, 31], form: 'quoted' },
  ])
})
