/** A process that may open no further file, and never can. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Takes all files, lets no wait last, and saves a body with a part (its size is not known). */
const program = `
import { openSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
let waited = 0
timers.setTimeout = async (milliseconds) => void (waited += milliseconds)
syncBuiltinESMExports()
const { createClient } = await import('@retriever/fetchers')
const body = async function* () { yield Buffer.from('abc') }
const facts = { mediaType: null, charset: null, size: null, modified: null, etag: null, offset: 0 }
const retrieved = { outcome: 'retrieved', kind: 'file', completeness: 'eof-only', ...facts }
const outcome = { ...retrieved, metadata: { status: 200, headers: {}, fields: [] } }
const http = { mechanism: 'http', retrieve: async () => ({ ...outcome, body: body() }) }
const client = createClient({ fetchers: [http] })
await client.save('http://h/x', process.argv[1] + '/warm')
try { for (;;) openSync('/dev/null') } catch {}
const error = await client.save('http://h/x', process.argv[1] + '/x').catch((error) => error)
console.log(JSON.stringify([error.code, error.message, waited > 50_000]))
`

test.skipIf(process.platform === 'win32')('saving ends with an error that says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'))
  const command = [process.execPath, '--input-type=module', '-e', program, folder]
  const cwd = fileURLToPath(new URL('../package', import.meta.url))
  const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -n 60; exec "$0" "$@"', ...command], { cwd })
  rmSync(folder, { recursive: true })
  expect(JSON.parse(stdout)).toEqual([
    'write-failed',
    expect.stringMatching(/x\.part.* cannot be written: too many files are open; raise the limit of this process/),
    true,
  ])
})
