/** All scripts of the audit against `retrieve`. test/interop has curl and wget. */
import { audit } from '@retriever/servers/audit'
import { expect, test } from 'vitest'
import { bin, useBundle } from '../../support/cli/run.ts'

useBundle()

test('retrieve fails no script', async () => {
  const client = [process.execPath, bin, '-sS', '--retry', '0', '-m', '10', '--cacert', '{ca}', '-o', '{file}', '{url}']
  const verdicts = await audit({ command: client, timeout: 60_000 })
  expect(verdicts.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
}, 900_000)

test('retrieve -OJ writes no file with an unsafe name', async () => {
  const command = [process.execPath, bin, '-sSOJ', '--retry', '0', '-m', '10', '--output-dir', '{dir}', '{url}']
  const verdicts = await audit({ command, classes: ['names'], schemes: ['http'], timeout: 60_000 })
  expect(verdicts.filter(({ outcome }) => outcome === 'failed')).toEqual([])
}, 300_000)
