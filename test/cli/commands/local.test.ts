/** URLs of this machine, as a person types them: patterns of files, mail, links of a directory. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const at = (path: string): string => `file://${join(folder(), path)}`

beforeAll(() => {
  for (const name of ['a', 'b', '.hidden']) mkdirSync(join(folder(), name))
  const files = {
    'a/1.txt': '1',
    'a/22.txt': '2',
    'b/3.txt': '3',
    '.hidden/4.txt': '4',
    'a/.5.txt': '5',
    'a/é 6.md': '6',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder(), name), text)
  writeFileSync(join(folder(), 'b/*.md'), 'star')
  writeFileSync(join(folder(), 'b/x.md'), 'x')
  writeFileSync(join(folder(), 'list'), `${at('a/*.txt')}\n`)
  symlinkSync('a/1.txt', join(folder(), 'link'))
})

describe('a pattern in a file URL (uri(7), glob(7))', () => {
  test.each([
    ['a/*.txt', '12'],
    ['*/*.txt', '123'],
    ['a/?.txt', '1'],
    ['a/.*.txt', '5'],
    ['a/*%20?.md', '6'],
    ['{a,b}/?.txt', '13'],
    // A file of that very name exists.
    ['b/*.md', 'star'],
    ['b/?.md', 'starx'],
  ])('%s is %s', async (pattern, text) => {
    expect(await retrieve([at(pattern)])).toEqual({ status: 0, stdout: text, stderr: '' })
  })

  test.each(['a/*.nope', 'a/%2A.txt', 'nope/*'])('%s stays as it is, and is not found', async (pattern) => {
    expect(await retrieve([at(pattern)])).toMatchObject({ status: 78, stdout: '' })
  })

  test('-g and a list of URLs leave it alone', async () => {
    expect(await retrieve(['-g', at('a/*.txt')])).toMatchObject({ status: 78, stdout: '' })
    expect(await retrieve(['--from', join(folder(), 'list')])).toMatchObject({ status: 78, stdout: '' })
  })

  test('it costs no time of the product of its stars', async () => {
    mkdirSync(join(folder(), 'long'))
    writeFileSync(join(folder(), 'long', 'a'.repeat(250)), '')
    expect(await retrieve([at(`long/${'*a'.repeat(100)}*b`)])).toMatchObject({ status: 78 })
  })
})

test('a link of a directory is shown with the place that it leads to', async () => {
  const { stdout } = await retrieve(['ls', at('')])
  expect(stdout).toContain(`link -> a/1.txt           ${at('link')}\n`)
})

test('--part gets a part of a mail on disk, and of a message in an mbox', async () => {
  const mail = 'Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\n\nsecond\n--b--\n'
  writeFileSync(join(folder(), 'x.eml'), mail)
  writeFileSync(join(folder(), 'x.mbox'), `From a\nSubject: r\n\nfirst\n\nFrom b@c Sat Feb  3 04:05:06 2001\n${mail}`)
  expect(await retrieve(['--part', '2', at('x.eml')])).toMatchObject({ status: 0, stdout: 'second' })
  expect(await retrieve(['--part', '2.2', at('x.mbox')])).toMatchObject({ status: 0, stdout: 'second' })
})
