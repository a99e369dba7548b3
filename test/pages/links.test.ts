/** The links of pages and style sheets, and how they are rewritten. */
import { readCss, readHtml, rewritten } from '@retriever/fetchers/pages'
import { expect, test } from 'vitest'
import { PageText } from '../../packages/fetchers/src/pages/page-text.ts'
import { expectLinear } from '../support/growth.ts'

const linksOf = (html: string): string[] =>
  readHtml(html).slots.flatMap(({ links }) => links.map(({ kind, url }) => `${kind} ${url}`))

test.each([
  ['<a href=x>', ['page x']],
  ['<A HREF = " x ">', ['page x']],
  ["<area href='x'>", ['page x']],
  ['<iframe src=x></iframe><frame src=y>', ['page x', 'page y']],
  ['<link rel=stylesheet href=x><link rel="shortcut icon" href=y>', ['requisite x', 'requisite y']],
  ['<link rel=next href=x><link href=y rel=preconnect>', ['page x', 'other y']],
  ['<script src=x>"<a href=no>"</script>', ['requisite x']],
  ['<img src=x srcset="y 1x, z,1 2x,w">', ['requisite x', 'requisite y', 'requisite z,1', 'requisite w']],
  ['<img srcset="x f(1,2) 3x, y (, z">', ['requisite x', 'requisite y']],
  ['<picture><source srcset="x 100w,\n y"></picture>', ['requisite x', 'requisite y']],
  ['<video src=x poster=y></video><audio src=z></audio>', ['requisite x', 'requisite y', 'requisite z']],
  ['<track src=x><embed src=y><object data=z></object>', ['requisite x', 'requisite y', 'requisite z']],
  ['<body background=x><td background=y>', ['requisite x', 'requisite y']],
  ['<svg><image href=x /><use xlink:href="y#z"/></svg>', ['requisite x', 'requisite y#z']],
  ['<meta http-equiv=Refresh content="5; URL=\'x\'"><meta content="0;url=y">', ['page x']],
  ['<form action=x><button formaction=y>', ['form x', 'form y']],
  ['<blockquote cite=x>', ['other x']],
  ['<p style="background: url(x), url( \'y\' )">', ['requisite x', 'requisite y']],
  ['<p style="background: url(&quot;x&quot;)">', ['requisite x']],
  ['<style>@import "x"; a { b: url(y) } /* url(no) */</style>', ['requisite x', 'requisite y']],
  ['<script src=x /><style/><a href=y>url(no)</a>', ['requisite x', 'page y']],
  ['<!-- <a href=no> --><a title="a > b" href=x href=no><a href><a href="">', ['page x']],
  ['<a href="x?a&amp;b&copy=1&#x26;c">', ['page x?a&b&copy=1&c']],
])('%s', (html, links) => expect(linksOf(html)).toEqual(links))

test.each([
  ['a { b: url(x) url("y") URL( \'z\' ) }', ['x', 'y', 'z']],
  ['@import "x"; @import url(y) print; @IMPORT\'z\'', ['x', 'y', 'z']],
  ['@namespace url(no); @charset "no"; a { content: "url(no)" } /* @import "no" */', []],
  ['a { b: url(a\\)b) url("a\\"b") url(\\61 b) }', ['a)b', 'a"b', 'ab']],
  ['a { b: my-url(no) url() }', []],
  ['a { b: url(x', ['x']],
])('CSS: %s', (css, links) =>
  expect(readCss(css).slots.flatMap((slot) => slot.links.map(({ url }) => url))).toEqual(links),
)

test('nofollow of a link, and of a page', () => {
  const [slot] = readHtml('<a rel="external NoFollow" href=x>').slots
  expect(slot?.links[0]?.isNofollow).toBe(true)
  expect(readHtml('<meta name=robots content="index,nofollow">').isNofollow).toBe(true)
  expect(readHtml('<META content=NONE name=ROBOTS>').isNofollow).toBe(true)
  expect(readHtml('<meta name=robots content="noindex">').isNofollow).toBe(false)
})

test.each([
  ['links', '<a href=a>', 5],
  ['sets', '<img srcset="a, b 2x">', 5],
  ['style sheets', '<style>b{c:url(d)}</style>', 5],
  ['attributes in CSS', '<p style="c:url(d)">', 5],
])('of many %s, as many are read as were asked for', (_, tag, most) => {
  const few = readHtml(tag.repeat(2), most)
  expect([few.slots.flatMap(({ links }) => links).length, few.hasMore]).toEqual([tag.includes('set') ? 4 : 2, false])
  const many = readHtml(tag.repeat(100), most)
  expect([many.slots.flatMap(({ links }) => links).length, many.hasMore]).toEqual([most, true])
  const css = readCss('b{c:url(d)}'.repeat(100), most)
  expect([css.slots.flatMap(({ links }) => links).length, css.hasMore]).toEqual([most, true])
})

/** Rewrites each link to `new&(1)`. */
const written = (html: string): string => rewritten(html, readHtml(html), () => "new&('1')")

test.each([
  ['<a x href = x >', '<a x href = new&amp;(%271%27) >'],
  ['<a HREF="x&amp;y" title="x">', '<a HREF="new&amp;(%271%27)" title="x">'],
  ["<img srcset='a 1x,  b 2x'\n>", "<img srcset='new&amp;(%271%27) 1x,  new&amp;(%271%27) 2x'\n>"],
  ['<p style="a:url( &quot;x&quot; ) &lt;b">', '<p style="a:url( &quot;new&amp;%28%271%27%29&quot; ) &lt;b">'],
  ['<style>a{b:url(x)}</style>', '<style>a{b:url(new&%28%271%27%29)}</style>'],
  ['<meta http-equiv=refresh content="1; url=x ">', '<meta http-equiv=refresh content="1; url=new&amp;(%271%27) ">'],
  ['<base href="http://h/"><a href=x>', '<base href="./"><a href=new&amp;(%271%27)>'],
  ['<a href=x><!-- <a href=x> --></A ><br/ >', '<a href=new&amp;(%271%27)><!-- <a href=x> --></A ><br/ >'],
])('%s is rewritten in its place', (html, expected) => expect(written(html)).toBe(expected))

test('a page of many open elements is rewritten in its place', () => {
  const open = '<b>'.repeat(1200)
  expect(written(`${open}<a href=x>`)).toBe(`${open}<a href=new&amp;(%271%27)>`)
})

test.each([
  ['utf-8', Buffer.from('<a href="é?é#é">é</a>'), 'é?%C3%A9#é'],
  ['utf-8', Buffer.from('<a href="é/&eacute;/&#26085;?q=&#233;&amp;é">é</a>'), 'é/%C3%A9/%E6%97%A5?q=%C3%A9&%C3%A9'],
  ['utf-8', Buffer.from('<img src="&#x1F600;é">'), '%F0%9F%98%80é'],
  ['windows-1251', Buffer.from('<a href="&eacute;/\xe9">\xe9</a>', 'latin1'), '%C3%A9/й'],
  ['windows-1252', Buffer.from('<a href="\xe9?\xe9#\xe9">\xe9</a>', 'latin1'), 'é?%E9#é'],
  ['shift_jis', Buffer.from('<a href="\x95\x5c">\x95\x5c\x95\x7c</a>', 'latin1'), '表'],
  ['utf-16le', Buffer.from('\uFEFF<a href="é">\uD800é</a>', 'utf16le'), 'é'],
  ['utf-16be', Buffer.from('\uFEFF<a href="é">\uD800é</a>', 'utf16le').swap16(), 'é'],
  ['utf-16le', Buffer.concat([Buffer.from('\uFEFF<a href="é">', 'utf16le'), Buffer.of(1)]), 'é'],
])('a page in %s: other octets stay, and its links are read', (charset, octets, link) => {
  const text = new PageText(octets, { mediaType: 'text/html', charset })
  const page = readHtml(text.text)
  expect(page.slots.flatMap(({ links }) => links.map(({ url }) => text.reference(url)))).toEqual([link])
  expect(text.octetsOf(rewritten(text.text, page, () => null))).toEqual(octets)
  const changed = text.octetsOf(rewritten(text.text, page, () => 'abc'))
  const back = new PageText(changed, { mediaType: 'text/html', charset })
  expect(back.text).toBe(text.text.replace(/"[^"]*"/, '"abc"'))
})

test.each([
  ['attributes', (length: number) => `<a ${'x'.repeat(8).split('').join('=1 ')}${' y=1'.repeat(length)}>`],
  [
    'style sheets',
    (length: number) => `<style>${'@import '.repeat(length)}${'url('.repeat(length)}${'"\\'.repeat(length)}`,
  ],
  ['strings', (length: number) => `<style>${'"\\"'.repeat(length)}`],
  [
    'sets',
    (length: number) =>
      `<img srcset="${'x ,'.repeat(length)}x${','.repeat(length)}y ${','.repeat(length)}${'y ('.repeat(length)}">`,
  ],
  ['entities', (length: number) => `<a href="${'&amp;&x'.repeat(length)}">`],
  ['elements', (length: number) => '<b>'.repeat(length) + '</i>'.repeat(length)],
])('hostile %s take no quadratic time', (_, make) =>
  expectLinear(16_000, (length) => {
    expect(written(make(length)).length).toBeGreaterThan(0)
  }),
)
