/** `mirror --pages` beside `wget -r -p -k -E`, on one web site. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@retriever/fetchers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reply } from '../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../protocols/http/support/scripted-http.ts'

/** Pages whose links both programs know, by path: an object of bodies. */
const site: Readonly<Record<string, string>> = {
  '/':
    '<!DOCTYPE html>\r\n<link rel="stylesheet" href="/static/a.css"><a href="b/">1</a> <a href="page">2</a>\n' +
    '<a href="page?id=1#x">3</a> <a href="gone.html">4</a> <a href="ftp://127.0.0.1:1/">5</a> <a href="#top">6</a>\n' +
    '<img src="i.png"> <img srcset="i.png 1x, j.png 2x"> <a href="mailto:a@b">7</a> <a href="text.txt">8</a>\n' +
    '<area href="area.html"> <iframe src="frame.html"></iframe> <a href="private/x.html">9</a> <a href="moved">10</a>\n' +
    '<video src="v.bin" poster="k.png"></video> <embed src="e.bin"> <object data="o.bin"></object>\n',
  '/b/': '<a href="../page">1</a><a href="c.html">2</a><p style="background: url(\'../l.png\')">',
  '/b/c.html': '<base href="/b/d/"><a href="../c.html">1</a><a href="e.html">2</a>',
  '/b/d/e.html': '<a href="/">top</a>',
  '/page': '<meta http-equiv="refresh" content="9; URL=b/c.html">',
  '/page?id=1': 'a query',
  '/static/a.css': '@import "b.css"; p { background: url(../m.png) }',
  '/static/b.css': '@import url("/static/c.css");',
  '/static/c.css': 'p { color: red }',
  '/robots.txt': 'User-agent: *\nDisallow: /private/\n',
  '/private/x.html': 'private',
  ...Object.fromEntries(['area', 'frame', 'moved'].map((name) => [`/${name}.html`, name])),
  ...Object.fromEntries('ijklm'.split('').map((name) => [`/${name}.png`, name])),
  ...Object.fromEntries('veo'.split('').map((name) => [`/${name}.bin`, name])),
  '/text.txt': 'a text',
}

let server: ScriptedHttp
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interop-site-'))
  server = await scriptedHttp(({ line, target }) => {
    if (target === '/moved') return reply(302, { Location: '/moved.html' })
    const body = site[target]
    if (body === undefined) return reply(404, {})
    const [suffix = ''] = /\.[a-z]+$/.exec(target) ?? []
    const types: Readonly<Record<string, string>> = { '.css': 'text/css', '.png': 'image/png', '.txt': 'text/plain' }
    const type = types[suffix] ?? (suffix === '.bin' ? 'application/octet-stream' : 'text/html')
    return reply(200, { 'Content-Type': type, 'Content-Length': String(body.length) }, line[0] === 'H' ? '' : body)
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** The files below a folder, by their paths. */
function filesIn(root: string): Map<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = found.map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, 'latin1')]))
}

/** Runs a program; the server is in this process, so that it runs beside. Null: it is not installed. */
function statusOf(program: string, ...args: readonly string[]): Promise<number | null> {
  return promisify(execFile)(program, args, { env: { PATH: process.env.PATH } }).then(
    () => 0,
    ({ code }: { readonly code: number | string }) => (code === 'ENOENT' ? null : Number(code)),
  )
}

test('the files of wget -r -p -k -E, with the links of wget', async ({ skip }) => {
  const args = ['--no-config', '-q', '-t', '1', '-r', '-l', 'inf', '-p', '-k', '-E', '-nH', '-P', join(folder, 'wget')]
  const status = await statusOf('wget', ...args, server.url)
  if (status === null) {
    if (process.env.RETRIEVER_INTEROP !== 'required') skip('wget is not installed')
    expect.fail('wget is not installed')
  }
  // One page is missing.
  expect(status).toBe(8)
  await using client = createClient()
  const { failed } = await client.mirror(server.url, join(folder, 'ours'), { pages: true })
  expect(failed).toBe(1)
  const [theirs, ours] = [filesIn(join(folder, 'wget')), filesIn(join(folder, 'ours'))]
  ours.delete('.retrieve-pages.jsonl')
  theirs.delete('robots.txt')
  expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort())
  for (const [path, octets] of theirs) {
    // wget names the file in a link to a place of its own, and makes a base empty.
    const expected = octets.replace('"index.html#top"', '"#top"').replace('<base href="">', '<base href="./">')
    expect([path, ours.get(path)]).toEqual([path, expected])
  }
})
