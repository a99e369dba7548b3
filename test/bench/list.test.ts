import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const isBuilt = existsSync(new URL('../../packages/core/dist/index.js', import.meta.url))

test.runIf(isBuilt)('pnpm bench lists each benchmark, so each one loads', () => {
  const files = readdirSync(here).filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  const { stdout, stderr, status } = spawnSync(process.execPath, [`${here}run.mjs`], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  expect(stdout.match(/^\S+/gm)).toEqual(files.map((file) => file.replace(/\.mjs$/, '')))
})
