import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useBundle } from '../support/cli/run.ts'
import { differences } from './differences.ts'
import type { Line } from './line.ts'
import { http } from './lines/http.ts'
import { others } from './lines/others.ts'
import { output } from './lines/output.ts'
import { selection } from './lines/selection.ts'
import { pairs } from './pairs.ts'
import { run } from './run.ts'
import { type Fixture, startFixture } from './servers.ts'

/** The same lines by curl and by retrieve: same octets, same files, same exit status. */
const tables: Readonly<Record<string, readonly Line[]>> = { output, selection, http, others, pairs }

const isInstalled = spawnSync('curl', ['--version']).status === 0
let fixture: Fixture
useBundle()
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

test('curl is installed', ({ skip }) => {
  if (isInstalled) return
  if (process.env.RETRIEVER_INTEROP !== 'required') skip('curl is not installed')
  expect.fail('curl is not installed')
})

test('property 23: each difference is shown by a line', () => {
  const shown = Object.values(tables).flatMap((lines) =>
    lines.flatMap((line) => (typeof line === 'string' ? [] : [line[1]])),
  )
  expect(new Set(shown)).toEqual(new Set(Object.keys(differences)))
})

describe.runIf(isInstalled).each(Object.entries(tables))('property 23: %s', (_, lines) => {
  test.each(lines.map((line) => (typeof line === 'string' ? ([line, null] as const) : line)))(
    '%s',
    async (line, differs) => {
      const curl = await run('curl', line, fixture.env)
      const ours = await run('retrieve', line, fixture.env)
      if (differs === null) expect(ours).toEqual(curl)
      else if (!differences[differs].shows(curl, ours)) expect(ours).toEqual({ difference: differs, from: curl })
    },
  )
})
