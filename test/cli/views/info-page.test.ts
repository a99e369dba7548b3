import { delimiter } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { fakePrograms } from '../../support/programs-in-path.ts'

useBundle()
const folder = temporaryFolder()

/** What the terminal shows of a URL while `info` writes this. */
async function screenOf(url: string, text: string): Promise<string> {
  await using programs = await fakePrograms({ info: `printf '%b' '${text}'` })
  const env = { NO_COLOR: '1', PATH: `${programs.folder}${delimiter}${process.env.PATH}` }
  const { status, screen } = await onPty(folder(), `'${url}'`, {}, { env })
  expect(status).toBe(0)
  return screen.replaceAll('\r\n', '\n')
}

describe.skipIf(!hasTerminal)('Info on a terminal (script of util-linux)', () => {
  test('a node is its text', async () => {
    const node = 'File: bird.info,  Node: Top,  Up: (dir)\n\nGrüße\n*****\n\n* Menu:\n\n* In the air::   How it flies\n'
    expect(await screenOf('info:bird', node.replaceAll('\n', '\\n'))).toBe(node)
  })

  test('the directory is a list of documents, which `retrieve open N` opens', async () => {
    const menu = '* Menu:\\n\\nBirds\\n* Heron: (heron).   A wader\\n* Flight: (heron)In the air.\\n'
    const screen = await screenOf('info:(dir)', `File: dir,  Node: Top\\n\\n${menu}`)
    expect(screen).toMatch(/^ {2}1 {2}file .* Heron {2}A wader\n {2}2 {2}file .* Flight\n/m)
    expect(screen.match(/Heron/g)).toHaveLength(1)
  })

  test('nothing of a document controls the terminal', async () => {
    const evil = '\\033]52;c;ZXZpbA==\\007\\302\\2332J'
    const node = `File: bird.info,  Node: Top\\n\\n${evil}\\n* Menu:\\n\\n* ${evil}: (x). ${evil}\\n`
    for (const url of ['info:bird', 'info:(dir)']) {
      const screen = await screenOf(url, node.replace('bird.info', url === 'info:bird' ? 'bird.info' : 'dir'))
      expect(screen).not.toMatch(/[^\n\x20-\x7e]/)
      expect(screen).toContain('\\e]52;c;')
    }
  })
})
