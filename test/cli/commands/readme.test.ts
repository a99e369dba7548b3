import { readFileSync } from 'node:fs'
import { startServers } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

test('the examples of README.md work as they stand', async () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const [, block = ''] = /readme\.test\.ts runs these -->\n```sh\n(.*?)```/s.exec(readme) ?? []
  const examples = block.trim().split('\n')
  expect(examples).toHaveLength(10)
  await using servers = await startServers()
  const { http, ftp, gopher, nntp } = servers
  const ports: Readonly<Record<string, number>> = {
    8080: http.port,
    2121: ftp.port,
    7070: gopher.port,
    1119: nntp.port,
  }
  for (const example of examples) {
    const [, ...words] = example.replace(/ +#.*$/, '').split(' ')
    const args = words.map((word) =>
      word.replaceAll("'", '').replace(/(?<=localhost:)\d+/, (typed) => `${ports[typed] ?? typed}`),
    )
    const { status, stdout, stderr } = await retrieve(args, { cwd: folder() })
    expect({ example, status, stderr }).toMatchObject({ example, status: 0 })
    expect({ example, isEmpty: stdout === '' }).toEqual({ example, isEmpty: args.includes('-o') })
  }
}, 60_000)
