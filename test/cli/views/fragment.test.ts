import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { htmlSection } from '@retriever/fetchers/mime'
import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { retrieve, temporaryFolder } from '../../support/cli/run.ts'
import { expectLinear, filled } from '../../support/growth.ts'
import { fakePrograms } from '../../support/programs-in-path.ts'

const folder = temporaryFolder()

function file(name: string, text: string): string {
  const path = join(folder(), name)
  writeFileSync(path, text)
  return pathToFileURL(path).href
}

const html = `<html><head><title>x</title></head><body><h1 id=start>Guide</h1><p>Intro
<h2 id="drills">Drills</h2><p>Use <a name=mid>bits</a>.</p><h3>Sub</h3><p>Sub text
<h2><span id="a b">Hammers</span></h2><p>Hit.</p>
<div id=box><h2>In</h2><p>Boxed <script id=hidden>x</script></p></div>after <a name=empty></a><h2>Last</h2><p>End
<dl><dt id=term>Term<dd>Its meaning<dt>Other<dd>Another</dl><p id=p></p><h3>Deep</h3>deep<h2>Z</h2></body></html>`
const all = /^Guide\n[\s\S]*\nZ\n$/

describe('a fragment picks the part of an HTML page', () => {
  test.each([
    ['the heading up to the next one of its level', 'drills', 'Drills\n\nUse bits.\nSub\n\nSub text\n'],
    ['an anchor in a text, from its line on', 'mid', 'Use bits.\nSub\n\nSub text\n'],
    ['an element in a heading, percent-encoded', 'a%20b', 'Hammers\n\nHit.\n'],
    ['a container: its content', 'box', 'In\n\nBoxed\n'],
    ['an empty anchor before a heading', 'empty', 'Last\n\nEnd\nTerm\nIts meaning\nOther\nAnother\n\nDeep\ndeep\n'],
    ['an empty element before a heading', 'p', 'Deep\ndeep\n'],
    ['a term with its meaning', 'term', 'Term\nIts meaning\n'],
    ['the first heading: all', 'start', all],
    ['#top', 'top', all],
    ['an empty fragment', '', all],
    ['a text fragment alone', ':~:text=Hit', all],
    ['an anchor with a text fragment', 'term:~:text=Hit', 'Term\nIts meaning\n'],
  ])('%s', async (_, fragment, text) => {
    const url = `${file('page.html', html)}#${fragment}`
    const expected = { status: 0, stdout: typeof text === 'string' ? text : expect.stringMatching(text), stderr: '' }
    expect(await retrieve(['--page', url])).toEqual(expected)
    expect(await retrieve(['--text', url])).toEqual(expected)
  })

  test.each(['nope', 'hidden', 'constructor', '%FF'])(
    'without a part named %s, all comes and a line says so',
    async (name) => {
      const { status, stdout, stderr } = await retrieve(['--page', `${file('page.html', html)}#${name}`])
      expect([status, stdout]).toEqual([0, expect.stringMatching(all)])
      expect(stderr).toBe(`retrieve: warning: The page has no part named "${name}"; all of it follows.\n`)
    },
  )

  test('without --page and --text, the octets are whole', async () => {
    expect(await retrieve([`${file('page.html', html)}#drills`])).toEqual({ status: 0, stdout: html, stderr: '' })
  })

  test('also by HTTP, where it is not sent', async () => {
    await using servers = await startServers({ files: { '/page.html': html } })
    const { stdout, stderr } = await retrieve(['-v', '--text', `${servers.http.url}page.html#term`])
    expect(stdout).toBe('Term\nIts meaning\n')
    expect(stderr).toContain('> GET /page.html HTTP/1.1')
  })

  test('a page of many anchors and headings takes linear time', async () => {
    await expectLinear(1 << 20, (length) => htmlSection(filled('<h2><a name=x></a><div id=y>', length), 'nope'))
  })
})

test.each([
  ['line=1,3', 'two\nthree\n'],
  ['line=,1', 'one\n'],
  ['line=3', 'four'],
  ['char=1,3', 'ne'],
])('%s is a part of a plain text (RFC 5147)', async (fragment, text) => {
  const { stdout, stderr } = await retrieve(['--page', `${file('text.txt', 'one\ntwo\nthree\nfour')}#${fragment}`])
  expect([stdout, stderr]).toEqual([text, ''])
})

describe('a part of a mail', () => {
  const mail = [
    'From: ann@example.net\nSubject: Parts\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n',
    '--b\nContent-Type: text/plain\n\nThe text.\n',
    '--b\nContent-Type: text/html\nContent-ID: <x@example.net>\nContent-Disposition: attachment\n\n<p>The <b>second</b>\n--b--\n',
  ].join('\n')

  test.each(['2', 'x@example.net', 'cid:x@example.net'])('by %s', async (fragment) => {
    expect(await retrieve(['--page', `${file('mail.eml', mail)}#${fragment}`])).toEqual({
      status: 0,
      stdout: 'The second\n',
      stderr: '',
    })
  })

  test('one that is missing leaves the whole; --text is the text alone', async () => {
    const { stdout, stderr } = await retrieve(['--page', `${file('mail.eml', mail)}#7`])
    expect(stdout).toMatch(/^From: ann@example\.net\n[\s\S]*PARTS/)
    expect(stderr).toContain('The page has no part named "7"')
    expect((await retrieve(['--text', file('mail.eml', mail)])).stdout).toMatch(/^The text\.\n/)
  })
})

test('a section of a manual page', async () => {
  const page =
    'X(1)  X(1)\n\nNAME\n       x\n\nOPTIONS\n       -a     all\n\n   Exit status:\n       0\n\nSEE ALSO\n       y\n'
  await using programs = await fakePrograms({ man: `printf '%b' '${page.replaceAll('\n', '\\n')}'` })
  const env = { PATH: `${programs.folder}${delimiter}${process.env.PATH}` }
  const section = async (name: string) => (await retrieve(['--page', `man:x(1)#${name}`], { env })).stdout
  expect(await section('options')).toBe('OPTIONS\n       -a     all\n\n   Exit status:\n       0\n')
  expect(await section('EXIT_STATUS')).toBe('   Exit status:\n       0\n')
  expect(await section('SEE%20ALSO')).toBe('SEE ALSO\n       y\n')
  expect(await section('nope')).toBe(page)
})

test.each(['-O', '-o x'])('--text is not for %s', async (option) => {
  const { status, stderr } = await retrieve(['--text', ...option.split(' '), 'file:///x'])
  expect([status, stderr]).toEqual([2, expect.stringContaining('--text shows text on standard output')])
})
