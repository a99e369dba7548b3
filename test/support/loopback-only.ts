/**
 * vitest runs this before each test file: a test that tries to leave this machine fails, and so does one whose command
 * tries.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'

/** One file for all test files of a process: what they share keeps its name. */
const log = process.env.RETRIEVER_LOOPBACK_LOG ?? join(tmpdir(), `retriever-loopback-${randomUUID()}`)
process.env.RETRIEVER_LOOPBACK_LOG = log
// For the commands that tests run.
const require = createRequire(import.meta.url)
const guard = require.resolve('./loopback-guard.cjs')
process.env.NODE_OPTIONS = `--require=${JSON.stringify(guard)}`
require(guard)

afterEach(() => {
  const refused = existsSync(log) ? readFileSync(log, 'utf8') : ''
  rmSync(log, { force: true })
  expect(refused).toBe('')
})
