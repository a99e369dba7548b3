import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

test('basic-ftp is used by its public members alone', () => {
  const control = new URL('../../../../packages/fetchers/src/protocols/ftp/control/control.ts', import.meta.url)
  expect(readFileSync(control, 'utf8')).toContain('extends FTPContext')
  expect(readFileSync(control, 'utf8')).not.toMatch(/\boverride _|\b(?:this|super)\._/)
})

test('what is imported from within basic-ftp is what basic-ftp exports', () => {
  // It is a dependency of the package, and none of the tests.
  const load = createRequire(new URL('../../../../packages/fetchers/package.json', import.meta.url))
  const { FTPContext, FTPError, parseList } = load('basic-ftp')
  const context = load('basic-ftp/dist/FtpContext.js')
  expect(context.FTPContext).toBe(FTPContext)
  expect(context.FTPError).toBe(FTPError)
  expect(load('basic-ftp/dist/parseList.js').parseList).toBe(parseList)
  expect([FTPContext, FTPError, parseList].map((each) => typeof each)).toEqual(['function', 'function', 'function'])
})
