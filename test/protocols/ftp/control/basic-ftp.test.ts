import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('basic-ftp is used by its public members alone', () => {
  const control = new URL('../../../../packages/fetchers/src/protocols/ftp/control/control.ts', import.meta.url)
  expect(readFileSync(control, 'utf8')).toContain('extends FTPContext')
  expect(readFileSync(control, 'utf8')).not.toMatch(/\boverride _|\b(?:this|super)\._/)
})
