import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundleForNode } from '../../support/node-bundle.ts'
import { startCommands, startQuotes } from '../examples/own-protocol.ts'
import { exchange } from './dialogue.ts'

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const examples = ['vitest.test.ts', 'node-test.ts', 'own-protocol.ts']

test.each(examples)('the README shows examples/%s as it is compiled and run', (name) => {
  const text = readFileSync(file(`examples/${name}`), 'utf8')
  expect(readFileSync(file('README.md'), 'utf8')).toContain(`<!-- examples/${name} -->\n\`\`\`ts\n${text}\`\`\`\n`)
})

test('the example for node:test runs', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'retriever-example-'))
  try {
    const bundle = await bundleForNode(file('examples/node-test.ts'), folder)
    const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', bundle], {
      encoding: 'utf8',
      timeout: 50_000,
    })
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# pass 2$/m) })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the servers of protocols of your own run', async () => {
  await using quotes = await startQuotes()
  expect(await exchange(quotes, '')).toBe('Simplicity is prerequisite for reliability.\r\n')
  await using commands = await startCommands()
  expect(await exchange(commands, 'GET x\r\nPUT\r\nQUIT\r\n')).toBe('200 ready\r\ndata\r\n.\r\n500 what?\r\n')
})
