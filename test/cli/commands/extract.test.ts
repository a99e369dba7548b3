import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bin, retrieve, shell, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder(), name)
  writeFileSync(path, content)
  return path
}

const appendix = `Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
type=d> but you can probably pick it up from "http://h/x-" or http://ds.in-
ternic.net/rfc (<http://h/a-
b>).
`
const expected = 'ftp://info.cern.ch/pub/www/doc;type=d\nhttp://h/x-\nhttp://ds.in-\nhttp://h/a-b\n'

test('the URLs of a file, or of standard input, one a line', async () => {
  const path = file('mail.txt', appendix)
  expect(await retrieve(['extract', path])).toEqual({ status: 0, stdout: expected, stderr: '' })
  const piped = { status: 0, stdout: expected, stderr: '' }
  expect(shell(`retrieve extract < '${path}'`)).toEqual(piped)
  expect(shell(`retrieve extract - < '${path}'`)).toEqual(piped)
  expect(shell(`cat '${path}' | retrieve extract | head -1`)).toMatchObject({ stdout: `${expected.split('\n')[0]}\n` })
})

test('with --json one object a line, of the documented shape', async () => {
  const text = '😀 <URL:http://h/a-\r\nb>, "http://h/q.", http://h/c. <URL:../d>\n'
  const { status, stdout, stderr } = await retrieve(['extract', '--json', file('json.txt', text)])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const error = '../d is no valid URL: it has no scheme; a relative reference needs a base URL (at character 1).'
  expect(stdout.split('\n')).toEqual([
    '{"url":"http://h/a-b","alternates":["http://h/ab"],"span":[3,23],"form":"wrapped","error":null}',
    '{"url":"http://h/q.","alternates":[],"span":[26,37],"form":"quoted","error":null}',
    '{"url":"http://h/c","alternates":[],"span":[40,50],"form":"bare","error":null}',
    `{"url":"../d","alternates":[],"span":[52,62],"form":"wrapped","error":${JSON.stringify(error)}}`,
    '',
  ])
})

test('a wrapped text that is no URL is reported on standard error, and is no failure', async () => {
  const { status, stdout, stderr } = await retrieve(['extract', file('bad.txt', 'a <URL:../d> http://h/\n')])
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'http://h/\n' })
  expect(stderr).toMatch(/^retrieve: Characters 2 to 12: \.\.\/d is no valid URL: it has no scheme[^\n]*\n$/)
})

test('control characters in found URLs are made harmless', async () => {
  const path = file('escapes.txt', '<URL:http://h/\x1b[2J> <foo://h/\u202Ex> http://h/a\x9bb\n')
  for (const args of [
    ['extract', path],
    ['extract', '--json', path],
  ]) {
    const { stdout, stderr } = await retrieve(args)
    expect(stdout + stderr).not.toMatch(/[\x1B\x9B\u202E]/)
  }
})

test('text in UTF-8 with or without a mark, else in Latin-1; nothing in it is no failure', async () => {
  const latin = Buffer.from('\xE9 http://h/\xE9 x', 'latin1')
  expect((await retrieve(['extract', file('latin.txt', latin)])).stdout).toBe('http://h/%C3%A9\n')
  expect((await retrieve(['extract', file('utf8.txt', '\uFEFFhttp://h/é x')])).stdout).toBe('http://h/%C3%A9\n')
  expect(await retrieve(['extract', file('empty.txt', '')])).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('many are printed, and who stops reading is no failure', () => {
  const path = file('many.txt', Array.from({ length: 200_000 }, (_, index) => `http://h/${index}`).join('\n'))
  expect(shell(`retrieve extract '${path}' | tail -1`).stdout).toBe('http://h/199999\n')
  expect(shell(`retrieve extract '${path}' | head -1`)).toEqual({ status: 0, stdout: 'http://h/0\n', stderr: '' })
})

describe('exit codes, each with one clear sentence', () => {
  test.each([
    ['missing.txt', 37, /missing\.txt cannot be read: there is no such file\./],
    ['dir', 37, /dir cannot be read: it is a directory\./],
    ['a.txt/b', 37, /b cannot be read: a part of its path is no folder\./],
  ])('%s', async (name, code, sentence) => {
    mkdirSync(join(folder(), 'dir'), { recursive: true })
    file('a.txt', '')
    const { status, stdout, stderr } = await retrieve(['extract', name], { cwd: folder() })
    expect({ status, stdout }).toEqual({ status: code, stdout: '' })
    expect(stderr).toMatch(/^retrieve: [^\n]+\n$/)
    expect(stderr).toMatch(sentence)
  })

  test('two files, an option of others', async () => {
    expect((await retrieve(['extract', 'a', 'b'])).status).toBe(2)
    expect((await retrieve(['extract', '-o', 'a', 'b'])).status).toBe(2)
  })

  test('more than 64 MiB, read no further', () => {
    const { status, stdout, stderr } = shell('retrieve extract /dev/zero')
    expect({ status, stdout }).toEqual({ status: 63, stdout: '' })
    expect(stderr).toBe('retrieve: /dev/zero has more than 64 MiB, the most that is read; split it first.\n')
    expect(shell('yes http://h/ | head -c 70000000 | retrieve extract').stderr).toMatch(/^retrieve: Standard input has/)
  })

  test('Ctrl-C while standard input does not end', async () => {
    const child = spawn(process.execPath, [bin, 'extract'], { stdio: ['pipe', 'ignore', 'ignore'] })
    const ended = new Promise((resolve) => child.on('close', resolve))
    // More than a pipe holds: once it is taken, the command reads.
    await new Promise((resolve) => child.stdin.write('http://h/ '.repeat(100_000), resolve))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
  })
})

describe('--html prints the links of a page', () => {
  const page = `<html><head><base href="/a/"><meta http-equiv="Refresh" content="5; URL='next.html'">
<link href=style.css></head><body background=bg.png>
<a href="../x?y=1&amp;z=2#f">x</a> <a href=" mailto:joe@example.com ">joe</a> <a href="javascript:void 0">no</a>
<img src=i.png srcset="i.png 1x, //cdn.example/j.png 2x"><blockquote cite=gopher://h/0/q>q</blockquote>
<form action=/post></form><a href="">empty</a><a href="http://h:x/">bad</a></body></html>`

  test('absolute by --base and <base href>', async () => {
    const typed = ['extract', '--html', '--base', 'http://www.example.org/p/', file('page.html', page)]
    const { status, stdout, stderr } = await retrieve(typed)
    expect({ status, lines: stdout.trim().split('\n') }).toEqual({
      status: 0,
      lines: [
        'http://www.example.org/a/next.html',
        'http://www.example.org/a/style.css',
        'http://www.example.org/a/bg.png',
        'http://www.example.org/x?y=1&z=2#f',
        'mailto:joe@example.com',
        'http://www.example.org/a/i.png',
        'http://www.example.org/a/i.png',
        'http://cdn.example/j.png',
        'gopher://h/0/q',
      ],
    })
    expect(stderr).toMatch(/^retrieve: The link http:\/\/h:x\/: .*the port must be a number/)
  })

  test('without a base, relative links are reported', async () => {
    const { status, stdout, stderr } = await retrieve([
      'extract',
      '--html',
      file('r.html', '<a href=x>x</a><a href=news:a.b>'),
    ])
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'news:a.b\n',
      stderr: 'retrieve: The link x: It is relative; give the URL of the page by --base.\n',
    })
  })

  test('no name is relative to one of Prospero, in which slashes have no meaning', async () => {
    const page = file('p.html', '<a href=c><a href=//h/d><a href="#e">')
    const { stdout, stderr } = await retrieve(['extract', '--html', '--base', 'prospero://h.example//a/b', page])
    expect(stdout).toBe('prospero://h/d\nprospero://h.example//a/b#e\n')
    expect(stderr).toContain('The link c: c is no valid URL: it is relative, and slashes have no meaning')
  })

  test('with --json, the link as it was written, too', async () => {
    const { stdout } = await retrieve([
      'extract',
      '--html',
      '--json',
      '--base',
      'http://h/',
      file('j.html', '<a href=x>x</a>'),
    ])
    expect(stdout).toBe('{"url":"http://h/x","reference":"x","error":null}\n')
  })
})
