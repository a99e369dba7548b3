import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundleCore } from '../support/core/bundle.ts'

test('a page that takes all of the core loads less than 42 KB', async () => {
  const bundle = await bundleCore()
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThan(42 * 1024)
  expect(new TextDecoder().decode(bundle)).not.toMatch(/\brequire\(|from ?["']/)
})

test('a page that takes resolve() alone loads less than 36 KB', async () => {
  expect(gzipSync(await bundleCore('{ resolve }'), { level: 9 }).length).toBeLessThan(36 * 1024)
})
