import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startServers } from '@retriever/servers'
import { expect, test } from 'vitest'
import { bin, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

test('the examples of README.md work as they stand, in a shell', async () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const [, block = ''] = /readme\.test\.ts runs these -->\n```sh\n(.*?)```/s.exec(readme) ?? []
  const examples = block.trim().split('\n')
  expect(examples).toHaveLength(10)
  await using servers = await startServers()
  const { http, ftp, gopher, nntp } = servers
  // `retrieve serve` has these ports; here, they may be in use.
  const ports: Readonly<Record<string, number>> = {
    8080: http.port,
    2121: ftp.port,
    7070: gopher.port,
    1119: nntp.port,
  }
  mkdirSync(join(folder(), 'bin'))
  symlinkSync(bin, join(folder(), 'bin/retrieve'))
  const env = { ...process.env, PATH: `${folder()}/bin:${process.env.PATH}` }
  for (const example of examples) {
    const line = example.replace(/(?<=localhost:)\d+/g, (typed) => `${ports[typed] ?? typed}`)
    const child = spawn('sh', ['-c', line], { cwd: folder(), env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    // The URL that is explained is refused, and explain exits as its retrieval would.
    expect({ example, status, stderr }).toMatchObject({ example, status: example.includes('explain') ? 9 : 0 })
    expect({ example, isEmpty: stdout === '' }).toEqual({ example, isEmpty: example.includes(' -o ') })
  }
}, 60_000)
