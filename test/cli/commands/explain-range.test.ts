import { describe, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()

describe('a range that is refused before anything is sent', () => {
  test.each<[readonly string[], RegExp]>([
    [['-r', '0-3', 'gopher://h/0/x'], /^REFUSED: Gopher has no ranges/],
    [['-r', '0-3', 'ldap://h/o=x'], /^REFUSED: LDAP has no ranges/],
    [['-r', '-3', 'nntp://h/g/1'], /^REFUSED: NNTP has no ranges/],
    [['-r', '0-3', 'mailto:a@h'], /^REFUSED: A mailto URL has no ranges/],
    [['-r', '0-3', 'tftp://h/x'], /^REFUSED: TFTP has no ranges/],
    [['-r', '0-3', 'data:,abcdef'], /^REFUSED: A data URL has no ranges/],
    [['-r', '0-3', 'wais://h/d?x'], /^REFUSED: WAIS has no ranges/],
    [['-r', '0-3', 'dict://h/d:x'], /^REFUSED: DICT has no ranges/],
    [['-r', '0-3', 'ftp://h/d/'], /^REFUSED: FTP has ranges of binary files only/],
    [['-r', '0-3', '-l', 'ftp://h/d'], /^REFUSED: FTP has ranges of binary files only/],
    [['-r', '0-3', 'ftp://h/x;type=a'], /^REFUSED: FTP has ranges of binary files only/],
    [['-r', '0-1,3-4', 'ftp://h/x'], /^REFUSED: Only HTTP has several ranges/],
    [['-r', '0-3', '--gateway', 'wais=gopher://h/0/{path}', 'wais://w/d'], /^REFUSED: Gopher has no ranges/],
  ])('%j: explain says so first, and exits as the retrieval does', async (args, text) => {
    const explained = await retrieve(['explain', ...args])
    expect(explained.stdout).toMatch(text)
    // These end before any name is looked up.
    expect(explained.status).toBe((await retrieve(args)).status)
    expect(explained.status).toBe(33)
  })

  test.each([
    ['-r', '0-3', 'ftp://h/x'],
    ['-r', '0-1,3-4', 'http://h/x'],
    ['-r', '0-3', 'sftp://h/x'],
    ['-r', '0-3', '--gateway', 'wais=http://h/{path}', 'wais://w/d'],
  ])('%j %s %s %s %s is sent', async (...args) => {
    const { status, stdout } = await retrieve(['explain', ...args])
    expect(status).toBe(0)
    expect(stdout).not.toContain('REFUSED')
  })
})

test('a text over FTP does not go on in the middle, and no REST is shown', async () => {
  const { stdout } = await retrieve(['explain', '-C', '3', 'ftp://h/x;type=a'])
  expect(stdout).toContain('RETR x')
  expect(stdout).not.toContain('REST')
})
