import { join } from 'node:path'
import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** The page of this gemtext on a terminal, below what is said of the certificate. */
async function screenOf(text: string): Promise<string> {
  const replies = { '/': `20 text/gemini\r\n${Buffer.from(text).toString('latin1')}` }
  await using servers = await startServers({ gemini: { faults: { replies } } })
  const env = { NO_COLOR: '1', XDG_STATE_HOME: join(folder(), 'state') }
  const { status, screen } = await onPty(folder(), `-s '${servers.gemini.url}'`, {}, { env })
  expect(status).toBe(0)
  return screen.replaceAll('\r\n', '\n').replace(/:\d+\//g, ':1965/')
}

describe.skipIf(!hasTerminal)('gemtext on a terminal (script of util-linux)', () => {
  test('links have numbers, and their URLs stand below', async () => {
    const text =
      '# Gr\u00fc\u00dfe\n=> a.gmi One\n=> gopher://gopher.example.org/\n=>\n* item\n> said\n```\n=> as it is\n```\n'
    expect(await screenOf(text)).toBe(
      [
        'Gr\u00fc\u00dfe',
        '  1  One',
        '  2  gopher://gopher.example.org/',
        '',
        '  * item',
        '  > said',
        '=> as it is',
        '',
        'References',
        '',
        '  1. gemini://127.0.0.1:1965/a.gmi',
        '  2. gopher://gopher.example.org/',
        '',
        'To open one: retrieve open N',
        '',
      ].join('\n'),
    )
  })

  test('nothing of the server controls the terminal', async () => {
    const evil = '\x1b]52;c;ZXZpbA==\x07\u009b2J\u202e\b'
    const screen = await screenOf(
      `# ${evil}\n=> /${encodeURIComponent(evil)} ${evil}\n=> /${evil} x\n* ${evil}\n${evil}\n`,
    )
    expect(screen).not.toMatch(/[^\n\x20-\x7e]/)
    expect(screen.match(/\\e\]52;c;ZXZpbA==/g)?.length).toBeGreaterThanOrEqual(4)
  })
})
