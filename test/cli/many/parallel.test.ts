/** Several URLs at a time: -Z and -j. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** Answers nothing before so many requests are open; then the last one first. */
async function heldServer(count: number): Promise<AsyncDisposable & { url: string; most: () => number }> {
  const held: [IncomingMessage, ServerResponse][] = []
  let open = 0
  let most = 0
  const answer = ([{ url = '' }, response]: [IncomingMessage, ServerResponse]): void => {
    if (url.includes('missing')) response.statusCode = 404
    response.end(`${url}\n`, () => open--)
  }
  let isFree = false
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    held.push([request, response])
    if (held.length >= count) isFree = true
    if (isFree) for (const each of held.splice(0).reverse()) answer(each)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    most: () => most,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const names = ['a', 'b', 'missing', 'c', 'd']

test.each([[['-Z']], [['-j', '5']], [['-j5']], [['--jobs', '5']]])(
  'standard output is the same with %j as one after another',
  async (options) => {
    await using server = await heldServer(5)
    const urls = names.map((name) => `${server.url}/${name}`)
    const { status, stdout, stderr } = await retrieve([...options, '-w', '<%{urlnum}>', ...urls])
    expect(stdout).toBe('/a\n<0>/b\n<1><2>/c\n<3>/d\n<4>')
    expect(stderr).toMatch(/^retrieve: \[\d\/5\] \S+\/missing: .*\nretrieve: 4 of 5, 1 failed; .*\n$/)
    expect(status).toBe(22)
    expect(server.most()).toBe(5)
  },
)

test('files are saved at the same time', async () => {
  await using server = await heldServer(4)
  const urls = ['p', 'q', 'r', 's'].map((name) => `${server.url}/${name}`)
  const { status, stdout } = await retrieve(['-Z', '--remote-name-all', '-w', '%{filename_effective}\n', ...urls], {
    cwd: folder(),
  })
  expect(status).toBe(0)
  expect(stdout.trim().split('\n').toSorted()).toEqual(['p', 'q', 'r', 's'])
  expect(readdirSync(folder()).toSorted()).toEqual(['p', 'q', 'r', 's'])
  expect(readFileSync(`${folder()}/r`, 'utf8')).toBe('/r\n')
})

test.each([
  [['-Z'], 6],
  [['-j', '3'], 3],
  [['-Z', '--parallel-max', '2'], 2],
  [['-Z', '--parallel-max-host=4'], 4],
  [['-j', '8', '--parallel-max-host', '8'], 8],
])('%j keeps at most %i of a host under way', async (options, most) => {
  await using server = await heldServer(most)
  const urls = Array.from({ length: 20 }, (_, index) => `${server.url}/${index}`)
  const { stdout } = await retrieve([...options, ...urls])
  expect(stdout).toBe(Array.from({ length: 20 }, (_, index) => `/${index}\n`).join(''))
  expect(server.most()).toBe(most)
})

test.each([[[]], [['-j', '2']]])('--fail-early stops at the first failure (%j)', async (options) => {
  await using server = await heldServer(1)
  const urls = ['a', 'missing', ...Array.from({ length: 20 }, (_, index) => String(index))]
  const typed = [...options, '--fail-early', ...urls.map((name) => `${server.url}/${name}`)]
  const { status, stdout, stderr } = await retrieve(typed)
  expect({ status, lines: stderr.trim().split('\n').length }).toEqual({
    status: 22,
    lines: options.length === 0 ? 1 : 2,
  })
  expect(stdout).toMatch(/^\/a\n/)
  expect(stdout).not.toContain('/19')
})

test('a URL that fails before anything is contacted has its place in the output, too', async () => {
  await using server = await heldServer(2)
  const typed = ['-Z', '-w', '<%{urlnum}>', `${server.url}/a`, 'nosuch://h/', `${server.url}/b`]
  expect(await retrieve(typed)).toMatchObject({ status: 1, stdout: '/a\n<0><1>/b\n<2>' })
})

test.each([
  [['--rate', 'x'], '--rate needs a number and a unit, such as 2/s, 30/m or 1/10s; not "x".'],
  [['--rate', '0/s'], '--rate needs a number and a unit, such as 2/s, 30/m or 1/10s; not "0/s".'],
  [['--parallel-max', 'x'], '--parallel-max needs a number of 0 or more, not "x".'],
  [['--jobs', 'x'], '--jobs needs a number of 0 or more, not "x".'],
])('%j is refused', async (typed, message) => {
  const { status, stderr } = await retrieve([...typed, 'data:,x'])
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})
