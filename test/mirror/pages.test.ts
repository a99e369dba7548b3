/** Client.mirror with `pages`: a web site comes to disk by its links. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import {
  type ClientOptions,
  createClient,
  type MirrorOptions,
  type MirrorResult,
  type MirrorSummary,
} from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import type { Fetcher } from '@retriever/fetchers/plugin'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Fields, notModified, reply } from '../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'

let jail = ''
let folder = ''
beforeEach(() => {
  jail = mkdtempSync(join(tmpdir(), 'pages-'))
  folder = join(jail, 'copy')
})
afterEach(() => rmSync(jail, { recursive: true }))

/** The files below the folder, without the record. */
function files(): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && entry.name !== '.retrieve-pages.jsonl')
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

const read = (file: string): string => readFileSync(join(folder, file), 'latin1')

interface Resource {
  readonly body: string
  readonly type?: string
  readonly status?: number
  readonly fields?: Fields
}

/** A site: what is at each path. A text is a page of HTML. */
type Content = Readonly<Record<string, string | Resource>>

/** Serves a site, with entity tags. What it lacks is 404. */
async function served(content: Content, unanswered: readonly string[] = []): Promise<ScriptedHttp> {
  const server = await scriptedHttp(({ line, target, fields: asked }) => {
    if (unanswered.includes(target)) return undefined
    const found = content[target]
    if (found === undefined) return reply(404, {}, line.startsWith('HEAD') ? '' : 'none')
    const { body, type = 'text/html', status = 200, fields = {} } = typeof found === 'string' ? { body: found } : found
    const etag = `"${Buffer.from(body).toString('base64url').slice(0, 40)}${body.length}"`
    if (status === 200 && asked['if-none-match'] === etag) return notModified({ ETag: etag })
    const head = { 'Content-Type': type, 'Content-Length': String(body.length), ETag: etag, ...fields }
    return reply(status, head, line.startsWith('HEAD') ? '' : body)
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

const redirect = (to: string): Resource => ({ body: '', status: 302, fields: { Location: to } })

interface Run extends MirrorSummary {
  /** `saved a/b.html`, sorted. */
  readonly results: readonly string[]
}

async function copied(url: string, options: MirrorOptions = {}, clientOptions: ClientOptions = {}): Promise<Run> {
  await using client = createClient({ limits: { maxRetries: 0 }, ...clientOptions })
  const results: string[] = []
  const onResult = (result: MirrorResult): void => {
    const { outcome, path } = result
    results.push(`${outcome} ${path}${outcome === 'skipped' ? `: ${result.reason}` : ''}`)
  }
  const summary = await client.mirror(url, folder, { pages: true, onResult, ...options })
  expect(summary.saved + summary.skipped + summary.deleted + summary.failed).toBe(results.length)
  return { ...summary, results: results.sort() }
}

const asked = (server: ScriptedHttp): string[] =>
  server.asked
    .filter(({ line, target }) => line.startsWith('GET') && target !== '/robots.txt')
    .map(({ target }) => target)

const site: Content = {
  '/docs/':
    '<!DOCTYPE html><link rel=stylesheet href=/static/a.css><style>p{background:url(p.png)}</style>\r\n' +
    '<a href="sub/">1</a><A HREF=page>2</A><a href="page?a=1&amp;b=2#x">3</a><a href="http://127.0.0.1:1/">4</a>' +
    '<a href="../up.html">5</a><a href=gone.html>6</a><img src=p.png srcset="p.png 1x, q.png 2x"><a href="#top">7</a>' +
    '<form action=send></form><a href="javascript:x()">8</a><a href="file:///etc/passwd">9</a><a href=mailto:a@b>10</a>' +
    '<a href="text.txt">11</a><!-- <a href=no> --><p style=\'background:url(&quot;q.png&quot;)\'>\r\n',
  '/docs/sub/':
    '<base href="/docs/other/"><a href=../page>1</a><a href="#x">2</a><iframe src="../frame.html"></iframe>',
  '/docs/page': '<meta http-equiv=refresh content="9; url=sub/"><a href="page">self</a>',
  '/docs/page?a=1&b=2': '<a href=./>up</a>',
  '/docs/frame.html': 'a frame',
  '/docs/text.txt': { body: '<a href=no.html>', type: 'text/plain' },
  '/docs/p.png': { body: 'P', type: 'image/png' },
  '/docs/q.png': { body: 'Q', type: 'image/png' },
  '/static/a.css': { body: '@import "b.css"; a{b:url(../docs/p.png)}', type: 'text/css' },
  '/static/b.css': { body: '@font-face{src:url(font)}', type: 'text/css' },
  '/static/font': { body: 'F', type: 'font/woff2' },
  '/up.html': 'outside',
}

test('a site comes with what it is shown with, and its links lead to the files or to the web', async () => {
  const server = await served(site)
  const host = `127.0.0.1:${server.port}`
  const { results, isComplete } = await copied(`${server.url}docs/`)
  expect(results.filter((result) => !result.startsWith('saved'))).toEqual([
    'failed gone.html',
    'failed other/index.html',
  ])
  expect(isComplete).toBe(true)
  const elsewhere = `_elsewhere/${host}/static/`
  const names = ['frame.html', 'index.html', 'p.png', 'page.html', 'page?a=1&b=2.html', 'q.png', 'sub/index.html']
  expect(files()).toEqual([...['a.css', 'b.css', 'font'].map((name) => elsewhere + name), ...names, 'text.txt'].sort())
  const there = `_elsewhere/${encodeURIComponent(host)}/static/`
  expect(read('index.html')).toBe(
    `<!DOCTYPE html><link rel=stylesheet href=${there}a.css><style>p{background:url(p.png)}</style>\r\n` +
      '<a href="sub/index.html">1</a><A HREF=page.html>2</A><a href="page%3Fa=1%26b=2.html#x">3</a>' +
      `<a href="http://127.0.0.1:1/">4</a><a href="${server.url}up.html">5</a><a href=${server.url}docs/gone.html>6</a>` +
      '<img src=p.png srcset="p.png 1x, q.png 2x"><a href="#top">7</a>' +
      `<form action=${server.url}docs/send></form><a href="javascript:x()">8</a><a href="file:///etc/passwd">9</a>` +
      '<a href=mailto:a@b>10</a><a href="text.txt">11</a><!-- <a href=no> -->' +
      "<p style='background:url(&quot;q.png&quot;)'>\r\n",
  )
  expect(read('sub/index.html')).toBe(
    `<base href="./"><a href=../page.html>1</a><a href="${server.url}docs/other/#x">2</a>` +
      '<iframe src="../frame.html"></iframe>',
  )
  expect(read('page.html')).toContain('url=sub/index.html"')
  expect(read(`${elsewhere}a.css`)).toBe('@import "b.css"; a{b:url(../../../p.png)}')
  expect(read('text.txt')).toBe('<a href=no.html>')
})

test('a second run asks only what changed, and changes no file that did not', async () => {
  const content: Record<string, string | Resource> = {
    '/': '<a href=a.html>a</a><a href=b.html>b</a><img src=i.png>',
    '/a.html': 'first',
    '/i.png': { body: 'I', type: 'image/png' },
  }
  const server = await served(content)
  await copied(server.url)
  expect(read('index.html')).toContain(`<a href=${server.url}b.html>`)
  const before = statSync(join(folder, 'a.html')).ctimeMs
  content['/a.html'] = 'second'
  content['/b.html'] = '<a href=/>back</a>'
  const { results } = await copied(server.url)
  expect(results).toEqual(['saved a.html', 'saved b.html', 'skipped i.png: unchanged', 'skipped index.html: unchanged'])
  expect(read('a.html')).toBe('second')
  expect(statSync(join(folder, 'a.html')).ctimeMs).toBeGreaterThan(before)
  // The page was not sent again, and its link leads to the file that is there now.
  expect(read('index.html')).toBe('<a href=a.html>a</a><a href=b.html>b</a><img src=i.png>')
  expect(read('b.html')).toBe('<a href=index.html>back</a>')
  const written = statSync(join(folder, 'index.html')).ctimeMs
  expect((await copied(server.url)).saved).toBe(0)
  expect(statSync(join(folder, 'index.html')).ctimeMs).toBe(written)
  // A file that somebody has changed is no copy.
  writeFileSync(join(folder, 'a.html'), 'mine')
  writeFileSync(join(folder, 'i.png'), 'mine')
  expect((await copied(server.url)).results).toEqual(expect.arrayContaining(['saved a.html', 'saved i.png']))
})

test.each([
  ['within a minute of its date may have changed since', 0],
  ['later is asked for by its date', 120_000],
])('a resource without an entity tag that came %s', async (_, age) => {
  const modified = new Date(Date.now() - age).toUTCString()
  const server = await scriptedHttp(({ target }) =>
    target === '/' ? reply(200, { 'Content-Type': 'text/plain', 'Last-Modified': modified }, 'x') : reply(404, {}, ''),
  )
  onTestFinished(() => server[Symbol.asyncDispose]())
  for (const _run of [1, 2]) await copied(server.url)
  expect(server.asked.at(-1)?.target).toBe('/')
  expect(server.asked.at(-1)?.fields['if-modified-since']).toBe(age === 0 ? undefined : modified)
})

test('the login of the start is for its server alone', async () => {
  const asking = (body: string) =>
    scriptedHttp(({ target, fields }) => {
      if (target === '/robots.txt') return reply(404, {}, '')
      if (fields.authorization === undefined) return reply(401, { 'WWW-Authenticate': 'Basic realm="x"' }, '')
      return reply(200, { 'Content-Type': 'text/html' }, body)
    })
  await using other = await asking('theirs')
  await using server = await asking(`<img src=${other.url}i.png>`)
  const { results } = await copied(server.url.replace('//', '//alice:secret@'), { otherHosts: true })
  expect(results).toEqual([expect.stringMatching(/^failed _elsewhere/), 'saved index.html'])
  expect(other.asked.map(({ fields }) => fields.authorization)).not.toContainEqual(expect.anything())
})

test('case 32, delete removes what no page names any more, and nothing else', async () => {
  const content: Record<string, string | Resource> = {
    '/': '<a href=a.html>a</a><a href=b.html>b</a><a href=c.html>c</a>',
    ...{ '/a.html': 'a', '/b.html': 'b', '/c.html': 'c' },
  }
  const server = await served(content)
  await copied(server.url)
  writeFileSync(join(folder, 'mine.html'), 'mine')
  content['/'] = '<a href=b.html>b</a><a href=c.html>c</a>'
  content['/c.html'] = { body: 'ill', status: 500 }
  const ill = await copied(server.url, { delete: true })
  expect([ill.deleted, ill.failed, ill.isComplete]).toEqual([0, 1, false])
  for (const status of [404, 410]) {
    content['/c.html'] = { body: 'gone', status }
    expect((await copied(server.url, { delete: true, dryRun: true })).results).toContain('deleted a.html')
  }
  expect((await copied(server.url, { delete: true, exclude: 'b.html' })).results).toEqual([
    ...['deleted a.html', 'deleted c.html', 'failed c.html', 'skipped index.html: unchanged'],
  ])
  expect(files()).toEqual(['b.html', 'index.html', 'mine.html'])
  expect(read('index.html')).toBe(`<a href=b.html>b</a><a href=${server.url}c.html>c</a>`)
})

test('case 9, a folder that has become a link elsewhere is neither read, nor written, nor emptied', async () => {
  const content: Record<string, string> = { '/': '<a href=s/a.html>a</a><a href=s/b.html>b</a>' }
  const server = await served(Object.assign(content, { '/s/a.html': '<a href=b.html>b</a>', '/s/b.html': 'b' }))
  await copied(server.url)
  const outside = join(jail, 'outside')
  renameSync(join(folder, 's'), outside)
  symlinkSync(outside, join(folder, 's'))
  const files = ['a.html', 'b.html'].map((name) => readFileSync(join(outside, name), 'utf8'))
  content['/s/b.html'] = 'changed'
  expect((await copied(server.url)).results).toEqual([
    ...['failed s/a.html', 'failed s/b.html', 'skipped index.html: unchanged'],
  ])
  content['/'] = 'nothing'
  expect((await copied(server.url, { delete: true })).deleted).toBe(0)
  expect(['a.html', 'b.html'].map((name) => readFileSync(join(outside, name), 'utf8'))).toEqual(files)
})

test('a page that is too large is saved as it is, and then nothing is deleted', async () => {
  const content: Record<string, string> = {
    '/': '<a href=a.html>a</a><a href=b.html>b</a>',
    '/a.html': 'a',
    '/b.html': 'b',
  }
  const server = await served(content)
  await copied(server.url)
  content['/a.html'] = '<a href=c.html>'.padEnd(17 * 1024 * 1024)
  content['/'] = '<a href=a.html>a</a>'
  for (const _run of [1, 2]) {
    const { failures, deleted } = await copied(server.url, { delete: true })
    expect([failures.map(({ error }) => error.code), deleted]).toEqual([['limit-exceeded'], 0])
  }
  expect(read('a.html')).toBe(content['/a.html'])
})

test('of a page with too many links, the first ones are followed and rewritten, and that is said', async () => {
  const server = await served({
    '/s/': `<a href=a.html>a</a><img srcset="${'a.html 1x, '.repeat(100_000)}"><a href=b.html>b</a>`,
    '/s/a.html': 'a',
    '/s/b.html': 'b',
  })
  expect(await copied(`${server.url}s/`)).toMatchObject({
    failures: [{ path: 'index.html', error: { code: 'limit-exceeded' } }],
    saved: 2,
    isComplete: false,
  })
  expect(read('index.html')).toMatch(/^<a href=a.html>a<\/a><img srcset="a.html 1x.*<a href=b.html>b<\/a>$/)
})

test('dryRun writes nothing, and asks for no body of what has no links', async () => {
  const server = await served(site)
  const { results } = await copied(`${server.url}docs/`, { dryRun: true })
  expect(results.filter((result) => result.startsWith('saved'))).toHaveLength(11)
  expect(existsSync(folder)).toBe(false)
  expect(asked(server)).not.toContain('/docs/p.png')
})

test.each([
  [{ depth: 1 }, ['index.html', 'x.png']],
  [{ depth: 2 }, ['a.html', 'b/index.html', 'index.html', 'x.png', 'y.png']],
  [{ include: ['b/**', '*.png'] }, ['b/c.html', 'b/index.html', 'x.png', 'y.png']],
  [{ exclude: ['a.html', 'y.*'] }, ['b/c.html', 'b/index.html', 'index.html', 'x.png']],
] satisfies [MirrorOptions, string[]][])('%j', async (options, expected) => {
  const server = await served({
    '/': '<a href=a.html>a</a><a href=b/>b</a><img src=x.png>',
    ...{ '/a.html': '<img src=y.png>', '/b/': '<a href=c.html>c</a>', '/b/c.html': 'c' },
    ...{ '/x.png': { body: 'x', type: 'image/png' }, '/y.png': { body: 'y', type: 'image/png' } },
  })
  await copied(server.url, options)
  expect(files()).toEqual(expected)
})

test('robots.txt and nofollow are obeyed, unless the caller says otherwise', async () => {
  const server = await served({
    '/robots.txt': { body: 'User-agent: *\nDisallow: /private/\nDisallow: /*?', type: 'text/plain' },
    '/': '<a href=private/>1</a><a rel=nofollow href=a.html>2</a><a href=b.html?x>3</a><a href=c.html>4</a>',
    '/private/': 'p',
    '/a.html': 'a',
    '/b.html?x': 'b',
    '/c.html': '<meta name=robots content=nofollow><a href=d.html>d</a><img src=e.png>',
    ...{ '/d.html': 'd', '/e.png': { body: 'e', type: 'image/png' } },
  })
  await copied(server.url)
  expect(files()).toEqual(['c.html', 'e.png', 'index.html'])
  await copied(server.url, { robots: false })
  expect(files()).toEqual(['a.html', 'b.html?x.html', 'c.html', 'd.html', 'e.png', 'index.html', 'private/index.html'])
  const { code, advice } = await failure(copied(`${server.url}private/`))
  expect([code, advice]).toEqual(['refused', { option: 'robots', value: false }])
})

test.each([
  ['nofollow', false],
  ['noindex, NONE', false],
  ['otherbot: nofollow', true],
  ['otherbot: nofollow, retriever: none', false],
  ['unavailable_after: 25 Jun 2040 15:00:00 GMT, nofollow', false],
  ['noindex', true],
])('the links of a page with X-Robots-Tag: %s are followed: %s', async (tag, isFollowed) => {
  const page = '<a href=b.html>b</a><img src=c.png>'
  const server = await served({
    '/': '<a href=a.html>a</a>',
    '/a.html': { body: page, fields: { 'X-Robots-Tag': tag } },
    ...{ '/b.html': 'b', '/c.png': { body: 'c', type: 'image/png' } },
  })
  const expected = ['a.html', ...(isFollowed ? ['b.html'] : []), 'c.png', 'index.html']
  // The second run is told that nothing has changed.
  for (const _run of [1, 2]) {
    await copied(server.url)
    expect(files()).toEqual(expected)
  }
  await copied(server.url, { robots: false })
  expect(files()).toEqual(['a.html', 'b.html', 'c.png', 'index.html'])
})

describe('names', () => {
  test('of every kind become files of their own', async () => {
    const hrefs = [
      'x',
      'x/',
      'x.html',
      'X.html',
      'a%2Fb',
      'a%5Cb',
      '.z',
      'CON',
      'd//e',
      'q?/../r',
      `${'l'.repeat(300)}`,
    ]
    const content = { '/': hrefs.map((href) => `<a href="${href}">x</a>`).join('') }
    const server = await served({ ...content, ...Object.fromEntries(hrefs.map((href) => [`/${href}`, href])) })
    const { failed, saved } = await copied(server.url)
    expect([failed, saved]).toEqual([0, hrefs.length + 1])
    expect(readdirSync(jail)).toEqual(['copy'])
    expect(files()).toHaveLength(hrefs.length + 1)
    expect(files()).toEqual(expect.arrayContaining(['x.html', 'x/index.html', '_z.html', 'CON_.html', 'd/_/e.html']))
    const links = [...read('index.html').matchAll(/href="([^"]*)"/g)].map(([, href = '']) => decodeURIComponent(href))
    expect(links.map((link) => read(link))).toEqual(hrefs)
  })

  test('/ and /index.html with the same octets are one file', async () => {
    const server = await served({ '/': '<a href=index.html>me</a>', '/index.html': '<a href=index.html>me</a>' })
    await copied(server.url)
    expect(files()).toEqual(['index.html'])
    expect(read('index.html')).toBe('<a href=index.html>me</a>')
    expect((await copied(server.url)).saved).toBe(0)
  })

  test('a folder with the copy of another site is refused', async () => {
    const server = await served({ '/a/': 'a', '/b/': 'b' })
    await copied(`${server.url}a/`)
    const { code, message } = await failure(copied(`${server.url}b/`))
    expect([code, message]).toEqual(['write-failed', expect.stringContaining(`a copy of ${server.url}a/`)])
  })
})

describe('redirects', () => {
  test('within the site lead to the file of the target; others are left', async () => {
    const other = await served({ '/x': 'x' })
    const server = await served({
      '/s/': '<a href=a>a</a><a href=b/>b</a><a href=out>o</a><a href=far>f</a><a href=loop>l</a><a href=js>j</a>',
      '/s/a': redirect('b'),
      '/s/b': redirect('b/'),
      '/s/b/': 'b',
      '/s/out': redirect('/up.html'),
      '/s/far': redirect(`${other.url}x`),
      ...{ '/s/loop': redirect('loop2'), '/s/loop2': redirect('loop'), '/s/js': redirect('file:///etc/passwd') },
      '/up.html': 'up',
    })
    const { results } = await copied(`${server.url}s/`)
    expect(files()).toEqual(['b/index.html', 'index.html'])
    expect(results).toEqual(expect.arrayContaining(['failed loop', 'skipped out: outside', 'skipped far: outside']))
    expect(asked(server)).not.toContain('/up.html')
    expect(other.asked).toEqual([])
    expect(read('index.html')).toContain('<a href=b/index.html>a</a><a href=b/index.html>b</a>')
    expect(read('index.html')).toContain(`<a href=${server.url}s/out>o</a>`)
    expect((await copied(`${server.url}s/`)).saved).toBe(0)
  })

  test('of the start lead to the site, even on another server', async () => {
    const server = await served({
      '/docs': redirect('/docs/en/'),
      '/docs/en/': '<a href=a.html>a</a>',
      '/docs/en/a.html': 'a',
    })
    const first = await served({ '/': redirect(`${server.url}docs`) })
    await copied(first.url, { headers: { 'X-Secret': 's' } })
    expect(files()).toEqual(['a.html', 'index.html'])
    expect(first.asked.map(({ fields }) => fields['x-secret'])).toContain('s')
    expect(server.asked.filter(({ fields }) => fields['x-secret'] !== undefined)).toEqual([])
  })
})

test('requisites of other hosts come if the caller asks for them, without his header fields', async () => {
  const other = await served({ '/i.png': { body: 'I', type: 'image/png' }, '/page.html': 'p' })
  const server = await served({ '/': `<img src=${other.url}i.png><a href=${other.url}page.html>x</a>` })
  await copied(server.url)
  expect(other.asked).toEqual([])
  await copied(server.url, { otherHosts: true, headers: { 'X-Secret': 's' } })
  expect(asked(other)).toEqual(['/i.png'])
  expect(other.asked.filter(({ fields }) => fields['x-secret'] !== undefined)).toEqual([])
  const place = `_elsewhere/127.0.0.1:${other.port}/i.png`
  expect(files()).toEqual([place, 'index.html'])
  expect(read('index.html')).toBe(`<img src=${place.replace(':', '%3A')}><a href=${other.url}page.html>x</a>`)
})

test('a site comes whole whose name is one of this machine, and asks nothing of others inside', async () => {
  const inside = await served({ '/i.png': { body: 'I', type: 'image/png' } })
  const server = await served({
    '/': `<a href=a.html>a</a><img src=i.png><img src=${inside.url}i.png>`,
    '/a.html': 'a',
    '/i.png': { body: 'I', type: 'image/png' },
  })
  const addresses = { [`www.example.org:${server.port}`]: ['127.0.0.1'] }
  const run = await copied(`http://www.example.org:${server.port}/`, { otherHosts: true }, { addresses })
  expect(run.results).toEqual(['saved a.html', 'saved i.png', 'saved index.html'])
  expect(inside.asked).toEqual([])
})

test.each(['an abort', 'an error of onResult', 'maxEntries'])(
  'when %s ends the run, the links of the pages that are there are rewritten',
  async (what) => {
    const content: Content = {
      '/': '<a href=a.html>a</a><a href=b.html>b</a>',
      '/a.html': '<a href=b.html>b</a><a href=./>up</a><a href=c.html>c</a>',
      '/b.html': 'b',
    }
    // It is asked for as soon as a.html is there, and is under way when the run ends.
    const server = await served(content, what === 'maxEntries' ? [] : ['/b.html'])
    const stop = new AbortController()
    const onResult = ({ path }: { readonly path: string }): void => {
      if (path !== 'a.html') return
      if (what === 'an abort') stop.abort()
      else if (what !== 'maxEntries') throw new RetrievalError('limit-exceeded', 'Enough.', { phase: 'body' })
    }
    const options = { onResult, signal: stop.signal, concurrency: 1, ...(what === 'maxEntries' && { maxEntries: 3 }) }
    await using client = createClient({ limits: { maxRetries: 0 } })
    const { code } = await failure(client.mirror(server.url, folder, { pages: true, ...options }))
    expect(code).toBe(what === 'an abort' ? 'aborted' : 'limit-exceeded')
    const b = what === 'maxEntries' ? 'b.html' : `${server.url}b.html`
    expect(read('index.html')).toBe(`<a href=a.html>a</a><a href=${b}>b</a>`)
    expect(read('a.html')).toBe(`<a href=${b}>b</a><a href=index.html>up</a><a href=${server.url}c.html>c</a>`)
    expect(files()).toEqual(['a.html', ...(what === 'maxEntries' ? ['b.html'] : []), 'index.html'])
  },
)

test('R44: an interrupted run leaves whole files, and the next one goes on', async () => {
  const big = 'x'.repeat(300_000)
  let isCut = true
  const server = await scriptedHttp(({ line, target, fields }) => {
    const head = { 'Content-Type': 'text/html', ETag: '"1"' }
    if (target === '/robots.txt') return reply(404, {})
    if (target === '/')
      return fields['if-none-match']
        ? notModified(head)
        : reply(200, head, line.startsWith('HEAD') ? '' : '<a href=big.bin>b</a>')
    const type = { 'Content-Type': 'application/octet-stream', ETag: '"2"' }
    if (fields.range !== undefined) {
      const from = Number(/\d+/.exec(fields.range)?.[0])
      return reply(206, { ...type, 'Content-Range': `bytes ${from}-299999/300000` }, big.slice(from))
    }
    const whole = reply(200, type, big)
    return isCut ? { octets: whole.subarray(0, 200_000), end: 'fin' } : whole
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  expect((await copied(server.url)).failed).toBe(1)
  expect(files()).toEqual(['big.bin.part', 'big.bin.part.json', 'index.html'])
  expect(read('index.html')).toBe(`<a href=${server.url}big.bin>b</a>`)
  isCut = false
  const { results } = await copied(server.url)
  expect(results).toEqual(['saved big.bin', 'skipped index.html: unchanged'])
  expect(server.asked.at(-1)?.fields.range).toMatch(/^bytes=\d{5,}-/)
  expect(read('big.bin')).toBe(big)
  expect(read('index.html')).toBe('<a href=big.bin>b</a>')
})

test('a record that a killed run has left is read: torn lines, and pages before and after their links were rewritten', async () => {
  const server = await served({ '/': '<a href=a.html>a</a>', '/a.html': '<a href=/>up</a>' })
  await copied(server.url)
  const record = join(folder, '.retrieve-pages.jsonl')
  writeFileSync(record, `${readFileSync(record, 'utf8')}{"url":"http://x/","fi`)
  // As if the run had ended before it rewrote this page.
  writeFileSync(join(folder, 'a.html'), '<a href=/>up</a>')
  expect((await copied(server.url)).saved).toBe(0)
  expect(read('a.html')).toBe('<a href=index.html>up</a>')
})

describe('hostile sites', () => {
  test('case 62, a calendar without end stops at the depth, and at the number of URLs', async () => {
    const server = await scriptedHttp(({ target, line }) => {
      if (target === '/robots.txt') return reply(404, {})
      const day = Number(/\d+/.exec(target)?.[0] ?? 0)
      const body = `<a href="?day=${day + 1}">next</a>`
      return reply(
        200,
        { 'Content-Type': 'text/html', 'Content-Length': String(body.length) },
        line.startsWith('HEAD') ? '' : body,
      )
    })
    onTestFinished(() => server[Symbol.asyncDispose]())
    const { saved, failures } = await copied(server.url)
    expect([saved, failures.map(({ error }) => error.code)]).toEqual([32, ['limit-exceeded']])
    const { code } = await failure(copied(server.url, { maxEntries: 5 }))
    expect(code).toBe('limit-exceeded')
  })

  test('case 62, style sheets that import each other for ever', async () => {
    const server = await scriptedHttp(({ target, line }) => {
      if (target === '/robots.txt') return reply(404, {})
      const isPage = target === '/'
      const body = isPage
        ? '<link rel=stylesheet href=a.css?0>'
        : `@import "a.css?${Number(target.split('?')[1]) + 1}";`
      return reply(
        200,
        { 'Content-Type': isPage ? 'text/html' : 'text/css', 'Content-Length': String(body.length) },
        line.startsWith('HEAD') ? '' : body,
      )
    })
    onTestFinished(() => server[Symbol.asyncDispose]())
    expect((await copied(server.url)).saved).toBe(17)
  })

  test('links with logins, to other schemes and beyond the limits are not followed, and stay as they are', async () => {
    const body = `<a href="http://127.0.0.1:1/%2e%2e%2fy">0</a><a href="http://u:p@127.0.0.1:1/x">1</a><a href="//127.0.0.1:1/">2</a><a href="data:text/html,x">3</a><a href="/${'y'.repeat(9000)}">4</a><a href="http://[">5</a>`
    const content: Record<string, string> = { '/x': 'x' }
    const server = await served(content)
    content['/'] = `${body}<a href="${server.url.replace('//', '//u:p@')}x">6</a>`
    expect((await copied(server.url)).results).toEqual(['saved index.html'])
    expect(read('index.html')).toBe(content['/'].replace('"//127', '"http://127'))
  })
})

test('only http and https have pages, and the options of pages need them', async () => {
  await using client = createClient()
  const wrong = [
    await failure(client.mirror('ftp://127.0.0.1:1/', folder, { pages: true })),
    await failure(client.mirror('http://127.0.0.1:1/', folder, { otherHosts: true })),
  ]
  expect(wrong.map(({ code, message }) => [code, /`?(pages|otherHosts)/.exec(message)?.[1]])).toEqual([
    ['invalid-option', 'pages'],
    ['invalid-option', 'otherHosts'],
  ])
})

test('the fetcher of HTTP may be one of the caller', async () => {
  const server = await served({ '/': '<a href=page.html>1</a>', '/page.html': 'page' })
  await using fetcher = httpOfCaller()
  expect((await copied(server.url, {}, { fetchers: [fetcher] })).results).toEqual([
    'saved index.html',
    'saved page.html',
  ])
})

function httpOfCaller(): Fetcher<'http'> & AsyncDisposable {
  const built = httpFetcher()
  return {
    mechanism: 'http',
    retrieve: (plan, context) => built.retrieve(plan, context),
    [Symbol.asyncDispose]: async () => built.dispose?.(),
  }
}
