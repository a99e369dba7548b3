/** Each program of examples/ is run against the test servers. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { createClient } from '@retriever/fetchers'
import { createGateway, type Gateway } from '@retriever/gateway'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { longestRun } from './support/longest-run.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const examples = join(root, 'examples')
const execute = promisify(execFile)

interface Ran {
  readonly stdout: string
  readonly stderr: string
  /** 0 where it succeeded. */
  readonly code: number
}

async function run(file: string, ...args: readonly string[]): Promise<Ran> {
  const options = { cwd: folder, timeout: longestRun }
  const ran = await execute(process.execPath, [join(examples, file), ...args], options).catch((error) => error)
  return { stdout: ran.stdout, stderr: ran.stderr, code: ran.code ?? 0 }
}

let folder: string
let servers: Awaited<ReturnType<typeof startServers>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-examples-'))
  servers = await startServers()
})
afterAll(async () => {
  await servers.close()
  await rm(folder, { recursive: true })
})

describe('examples', () => {
  test('script.mjs', async () => {
    const { stdout, code } = await run('script.mjs', `${servers.ftp.url}pub/hello.txt`, `${servers.http.url}readme.txt`)
    expect(stdout).toMatch(/ftp, .*\n {2}Hello, world\.\n.*http, .*\n {2}Retriever's test/)
    expect(code).toBe(0)
    expect(await run('script.mjs', `${servers.gopher.url}0/missing`)).toMatchObject({
      stderr: expect.stringMatching(/^ {2}not-found: /),
      code: 1,
    })
  })

  test('link-checker.mjs', async () => {
    const list = join(folder, 'links.txt')
    const { http, ftp } = servers
    await writeFile(list, `See <${http.url}readme.txt>, ${ftp.url}pub/hello.txt and ${http.url}gone.\n`)
    const { stdout, code } = await run('link-checker.mjs', list)
    expect(stdout).toMatch(/gone\n {2}not-found: .*\n2 of 3 answer\.\n$/)
    expect(code).toBe(1)
  })

  test('drop-in-fetch.mjs', async () => {
    const { http, ftp, gopher } = servers
    const urls = [`${http.url}pub/hello.txt`, `${ftp.url}pub/hello.txt`, `${gopher.url}0/pub/hello.txt`]
    const { stdout, stderr } = await run('drop-in-fetch.mjs', ...urls)
    expect(stderr).toBe('')
    expect(stdout.match(/: Hello, world\.$/gm)).toHaveLength(3)
  })

  test('batch.mjs', async () => {
    const list = join(folder, 'batch.txt')
    const { http, gopher } = servers
    await writeFile(list, [`${http.url}pub/hello.txt`, `${gopher.url}0/readme.txt`, `${http.url}gone`].join('\n'))
    const { stdout } = await run('batch.mjs', list)
    expect(stdout).toMatch(/^3 URLs, \d+ octets, 1 failed\n {2}\S+gone: not-found\n$/)
  })

  test('mirror.mjs brings a directory to disk, and the second time nothing', async () => {
    const target = join(folder, 'mirrored')
    const url = `${servers.ftp.url}pub/`
    const first = await run('mirror.mjs', url, target)
    expect(first.stdout).toMatch(/^saved sub\/deep\/file\.txt$/m)
    expect(await readFile(join(target, 'sub/deep/file.txt'), 'utf8')).toBe('Three directories down.\n')
    expect((await run('mirror.mjs', url, target)).stdout).toMatch(/^0 saved \(0 octets\), \d+ skipped, 0 failed\n$/)
  })

  test('testing/ runs under node:test and under vitest', async () => {
    const node = await execute(process.execPath, ['--test', join(examples, 'testing/node.test.mjs')])
    expect(node.stdout).toMatch(/pass 2\n.*fail 0/s)
    const program = join(root, 'node_modules/vitest/vitest.mjs')
    const cwd = join(examples, 'testing')
    const vitest = await execute(process.execPath, [program, 'run', '--root', cwd], { cwd })
    expect(vitest.stdout).toMatch(/Tests.*2 passed/)
  })

  test('browser/ explains the URL while it is typed', async () => {
    await execute(process.execPath, [join(examples, 'browser/build.mjs'), folder])
    const listeners: (() => void)[] = []
    const input = {
      value: 'ftp://h/x',
      addEventListener: (_: string, listener: () => void) => listeners.push(listener),
    }
    const output = { textContent: '' }
    const document = { querySelector: (name: string) => (name === 'input' ? input : output) }
    runInNewContext(await readFile(join(folder, 'page.js'), 'utf8'), { document })
    expect(output.textContent).toContain('RETR x')
    input.value = 'gopher://h/0y'
    for (const listener of listeners) listener()
    expect(output.textContent).toContain('sends')
  })
})

describe('examples/gateway-mounted.mjs', () => {
  interface Mounts {
    express(gateway: Gateway): { listen(port: number, host: string): Server }
    fastify(gateway: Gateway): { listen(place: object): Promise<string>; server: Server }
    hono(gateway: Gateway): { request(url: string, init: object): Promise<Response> }
  }

  /** Runs a server for requests by fetch. */
  async function served(server: Server): Promise<typeof fetch> {
    if (!server.listening) await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    return (address, init) => fetch(`http://127.0.0.1:${port}${address}`, init)
  }

  test('Express, Fastify and Hono answer as the server of the pages does, forms among them', async () => {
    await using client = createClient()
    await using gateway = createGateway({ client })
    const { mounts }: { mounts: Mounts } = await import(join(examples, 'gateway-mounted.mjs'))
    const fastify = mounts.fastify(gateway)
    await fastify.listen({ port: 0, host: '127.0.0.1' })
    const hono = mounts.hono(gateway)
    const asks = [
      await served(gateway.pages.server.listen(0, '127.0.0.1')),
      await served(mounts.express(gateway).listen(0, '127.0.0.1')),
      await served(fastify.server),
      (address: string, init: object = {}) => hono.request(`http://localhost${address}`, init),
    ] as const
    const form = { method: 'POST', body: new URLSearchParams({ token: 'wrong', url: servers.gopher.url }) }
    const answers = asks.map(async (ask) => {
      const menu = await ask(`/gopher/${new URL(servers.gopher.url).host}/`)
      const refused = await ask('/login', form)
      return [menu.status, await menu.text(), refused.status, await refused.text()]
    })
    const [own = [], ...mounted] = await Promise.all(answers)
    expect(own).toEqual([200, expect.stringContaining('Search the files'), 403, expect.any(String)])
    expect(mounted).toEqual([own, own, own])
  })
})

describe.each(['express', 'fastify'])('examples/%s-proxy.mjs', (name) => {
  /** Starts the proxy for one client and retrieves a URL through it. */
  async function through(client: ReturnType<typeof createClient> | undefined, url: string): Promise<Response> {
    const { makeApp, makeServer } = await import(join(examples, `${name}-proxy.mjs`))
    const query = `/?url=${encodeURIComponent(url)}`
    if (makeServer !== undefined) {
      const server = makeServer(client)
      const origin = await server.listen({ port: 0, host: '127.0.0.1' })
      const response = await buffered(await fetch(origin + query))
      await server.close()
      return response
    }
    const server = makeApp(client).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const response = await buffered(await fetch(`http://127.0.0.1:${port}${query}`))
    await new Promise((resolve) => server.close(resolve))
    return response
  }

  test('gives the octets of an FTP file, and keeps its page from running as one of the server', async () => {
    await using client = createClient()
    const response = await through(client, `${servers.ftp.url}pub/hello.txt`)
    expect(await response.text()).toBe('Hello, world.\n')
    expect(response.headers.get('content-security-policy')).toBe('sandbox')
  })

  test('says what is missing, and what is no URL', async () => {
    await using client = createClient()
    expect((await through(client, `${servers.http.url}gone`)).status).toBe(404)
    expect((await through(client, 'http://')).status).toBe(400)
  })

  test.each(['http', 'ftp'] as const)('refuses a URL of this machine as it stands: %s', async (scheme) => {
    const { accepted } = servers[scheme]
    expect((await through(undefined, `${servers[scheme].url}readme.txt`)).status).toBe(403)
    expect(servers[scheme].accepted).toBe(accepted)
  })

  test('refuses files', async () => {
    expect((await through(undefined, 'file:///etc/passwd')).status).toBe(403)
  })
})

/** The whole response, so that the server can be closed. */
async function buffered(response: Response): Promise<Response> {
  return new Response(await response.arrayBuffer(), { status: response.status, headers: response.headers })
}
