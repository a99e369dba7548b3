/** The type of client.fetch is that of fetch(), whichever types a program has. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const programs = fileURLToPath(new URL('../../../node_modules/.bin/', import.meta.url))
const user = fileURLToPath(new URL('fetch-user.ts', import.meta.url))

test.each(['es2023', 'es2023,dom,dom.iterable'])('with --lib %s', { timeout: 60_000 }, (lib) => {
  const options = `--noEmit --strict --skipLibCheck --target es2023 --types node --module nodenext --lib ${lib}`
  const { stdout, status } = spawnSync(join(programs, 'tsc'), ['--ignoreConfig', ...options.split(' '), user], {
    encoding: 'utf8',
  })
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
})
