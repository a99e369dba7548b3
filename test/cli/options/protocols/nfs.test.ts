import { startNfsServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve, useBundle } from '../../../support/cli/run.ts'

useBundle()

test('--nfs-uid and --nfs-gid tell a user, --nfs-mount-port leaves the portmapper out', async () => {
  await using server = await startNfsServer({ auth: 'sys', versions: [3], publicHandle: false })
  const url = `${server.url}pub/hello.txt`
  const { stdout, stderr, status } = await retrieve([
    ...['--nfs-uid', '1000', '--nfs-gid', '100'],
    ...['--nfs-mount-port', String(server.port), url],
  ])
  expect({ stdout, stderr, status }).toEqual({ stdout: 'Hello, world.\n', stderr: '', status: 0 })
  expect(server.received).not.toContain('GETPORT 100005')
})

test('a listing, a link, and the URL of an entry', async () => {
  await using server = await startNfsServer()
  const { stdout } = await retrieve(['ls', '--json', `${server.url}pub/`])
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { url } = entries.find(({ name }) => name === 'link')
  expect(await retrieve([url])).toMatchObject({ stdout: 'Hello, world.\n', status: 0 })
  expect(await retrieve([`${server.url}pub/nope`])).toMatchObject({ status: 78 })
})

test.each([
  [['--nfs-uid', 'alice'], '--nfs-uid needs a number from 0 to 4294967295'],
  [['--nfs-uid', '4294967296'], '--nfs-uid needs a number from 0 to 4294967295'],
  [['--nfs-gid', '5'], '--nfs-gid needs --nfs-uid'],
  [['--nfs-mount-port', '70000'], '--nfs-mount-port needs a port number'],
])('%j is refused', async (options, message) => {
  const { stderr, status } = await retrieve([...options, 'nfs://127.0.0.1/x'])
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})
