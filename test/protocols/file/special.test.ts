/** Paths that look like files and are refused (threats.md case 54). */
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const client = createClient()
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-special-'))
})
afterAll(async () => {
  await client.close()
  await rm(folder, { recursive: true, force: true })
})

const refused = async (url: string, words: string): Promise<void> => {
  const failure: unknown = await client.retrieve(url).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'file-failed', message: expect.stringContaining(words) })
}

describe.runIf(process.platform === 'linux')('case 54, a piece of a running process', () => {
  test.each([
    'self/environ',
    'thread-self/environ',
    `${process.pid}/environ`,
    `${process.pid}/task/${process.pid}/environ`,
    'self/mem',
    'self/maps',
    'self/cmdline',
    'self/auxv',
    `../proc/./self/environ`,
    'self/root/proc/self/environ',
    'self/cwd/../../../../../../../../proc/self/environ',
  ])('file:///proc/%s is refused', (path) => refused(`file:///proc/${path}`, 'belongs to a running process'))

  test.each(['kcore', 'kmsg', 'keys', 'slabinfo', 'kpagecount'].filter((name) => existsSync(`/proc/${name}`)))(
    'what the kernel keeps to itself is refused: file:///proc/%s',
    (name) => refused(`file:///proc/${name}`, 'it is not retrieved'),
  )

  test('through a link, too', async () => {
    await symlink('/proc/self/environ', join(folder, 'link'))
    await symlink('/proc/self', join(folder, 'folder'))
    await refused(`file://${folder}/link`, 'belongs to a running process')
    await refused(`file://${folder}/folder/environ`, 'belongs to a running process')
  })

  test('what it has open is refused, by whatever name', async () => {
    await writeFile(join(folder, 'open'), 'open')
    const descriptor = openSync(join(folder, 'open'), 'r')
    await refused(`file:///proc/self/fd/${descriptor}`, 'belongs to a running process')
    await refused(`file:///dev/fd/${descriptor}`, 'belongs to a running process')
    await symlink(`/dev/fd/${descriptor}`, join(folder, 'first'))
    await symlink('first', join(folder, 'second'))
    await refused(`file://${folder}/second`, 'belongs to a running process')
    closeSync(descriptor)
    expect(await (await client.retrieve(`file://${folder}/open`)).text()).toBe('open')
  })

  test.each(['self/status', 'self/stat', 'version', 'self/net/dev', 'cpuinfo'])(
    'what the system shows to all is read: file:///proc/%s',
    async (path) => {
      const text = await (await client.retrieve(`file:///proc/${path}`)).text()
      expect(text.length).toBeGreaterThan(0)
    },
  )

  test('a file of such a name elsewhere is a file', async () => {
    await writeFile(join(folder, 'environ'), 'plain')
    expect(await (await client.retrieve(`file://${folder}/environ`)).text()).toBe('plain')
    expect(await readFile(join(folder, 'environ'), 'utf8')).toBe('plain')
  })
})

test.each(['/dev/null', '/dev/zero', '/dev/tty', '/dev/urandom'])('case 54, %s is refused', (path) =>
  refused(`file://${path}`, 'a device'),
)
