/** The gateway, asked by the programs of others: octets equal to those of the command. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suite } from './suite.ts'

const bin = fileURLToPath(new URL('../../packages/cli/dist/bin.js', import.meta.url))
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)))

let servers: TestServers
let gateway: ChildProcess
let proxy = ''
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-gateway-'))
  servers = await startServers()
  gateway = spawn(process.execPath, [bin, 'gateway', '--json', '--port', '0', '--proxy-port', '0'], {
    env: environment,
  })
  proxy = JSON.parse(String((await once(gateway.stdout ?? gateway, 'data'))[0])).proxy
  // For squid.sh.
  process.env.SQUID_PARENT = new URL(proxy).port
})
afterAll(async () => {
  gateway.kill('SIGINT')
  await once(gateway, 'exit')
  await servers.close()
  await rm(folder, { recursive: true })
})

/** The output of a program that has the gateway as its proxy for all schemes. */
function run(program: string, ...args: readonly string[]): Promise<Buffer> {
  const schemes = ['http', 'ftp', 'gopher', 'wais', 'nntp', 'news']
  const env = { ...environment, ...Object.fromEntries(schemes.map((scheme) => [`${scheme}_proxy`, proxy])) }
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', timeout: 30_000, cwd: folder, env, maxBuffer: 2 ** 26 } as const
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

/** The output of the command, without a proxy. */
async function command(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', env: environment, timeout: 30_000 } as const
    execFile(process.execPath, [bin, '-s', url], options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}

/** The tests of a program; says so where it is not installed. */
function client(name: string, tests: () => void): void {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' })
    describe(name, tests)
  } catch {
    test(`${name} is installed`, ({ skip }) => {
      const reason = `${name} is not installed`
      if (process.env.RETRIEVER_INTEROP !== 'required') skip(reason)
      expect.fail(reason)
    })
  }
}

/** URLs of schemes that a program gives to a proxy, by its way to ask. */
const urls = {
  ftp: () => [
    `${servers.ftp.url}pub/hello.txt`,
    `${servers.ftp.url}pub/a.bin`,
    `${servers.ftp.url}pub/name%20with%20spaces.txt`,
  ],
  gopher: () => [`${servers.gopher.url}0/readme.txt`, `${servers.gopher.url}9/pub/a.bin`],
  others: () => [
    servers.gopher.url,
    `${servers.gemini.url}`,
    `${servers.nntp.url}retriever.test`,
    `${servers.wais.url}demo?ark`,
    `${servers.prospero.url}/docs`,
    `${servers.dict.url}d:url`,
  ],
}

client('curl', () => {
  const curl = (...args: string[]) => run('curl', '-q', '-sS', '-f', '-x', proxy, ...args)

  test('reads files and folders by FTP', async () => {
    for (const url of [...urls.ftp(), `${servers.ftp.url}pub/`]) {
      expect((await curl(url)).equals(await command(url))).toBe(true)
    }
  })

  test('reads every other scheme by --request-target', async () => {
    for (const url of [...urls.gopher(), ...urls.others()]) {
      expect((await curl('--request-target', url, 'http://proxied/')).equals(await command(url))).toBe(true)
    }
  })

  test('goes on with a part, asks for a head, and gives a login', async () => {
    const url = `${servers.ftp.url}pub/hello.txt`
    await writeFile(join(folder, 'part'), 'Hello, ')
    await curl('-C', '-', '-o', 'part', url)
    expect(await readFile(join(folder, 'part'), 'latin1')).toBe('Hello, world.\n')
    expect(String(await curl('-z', '1 Jan 2020', '-w', '%{http_code}', url))).toBe('304')
    expect(String(await curl('-I', url))).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Content-Length: 14\r\n/)
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    const hidden = `${guarded.ftp.url}pub/hello.txt`
    expect(String(await curl('-u', 'alice:secret', hidden))).toBe('Hello, world.\n')
    await expect(curl(hidden)).rejects.toThrow(/401/)
  })

  test('passes http through, with a body', async () => {
    const url = `${servers.http.url}pub/hello.txt`
    expect(String(await curl(url))).toBe('Hello, world.\n')
    await expect(curl('-d', 'x=1', url)).rejects.toThrow(/405/)
  })
})

client('wget', () => {
  test('reads files by FTP, and goes on with a part', async () => {
    for (const url of urls.ftp()) expect((await run('wget', '-qO-', url)).equals(await command(url))).toBe(true)
    await writeFile(join(folder, 'hello.txt'), 'Hello, ')
    await run('wget', '-qc', `${servers.ftp.url}pub/hello.txt`)
    expect(await readFile(join(folder, 'hello.txt'), 'latin1')).toBe('Hello, world.\n')
  })

  test('copies a tree by the pages of folders', async () => {
    await run('wget', '-qr', '-np', '-nH', '--header', 'Accept: text/html, */*;q=0.5', `${servers.ftp.url}pub/sub/`)
    expect((await readdir(join(folder, 'pub/sub/deep'))).sort()).toEqual(['file.txt', 'index.html'])
  })
})

client('lynx', () => {
  test('reads texts as the command does', async () => {
    for (const url of [...urls.ftp().slice(0, 2), ...urls.gopher()]) {
      expect((await run('lynx', '-source', url)).equals(await command(url))).toBe(true)
    }
  })

  test.each([
    ['a folder', () => `${servers.ftp.url}pub/`, () => `${servers.ftp.url}pub/hello.txt`],
    ['a menu', () => servers.gopher.url, () => `${servers.gopher.url}0/readme.txt`],
    ['a search by WAIS', () => `${servers.wais.url}demo?ark`, () => servers.wais.url],
    ['a newsgroup', () => `${servers.nntp.url}retriever.test`, () => servers.nntp.url],
  ])('lists the links of %s', async (_, url, link) => {
    expect(String(await run('lynx', '-dump', '-listonly', '-nonumbers', url()))).toContain(link())
  })
})

client('w3m', () => {
  test('reads texts as the command does', async () => {
    for (const url of urls.ftp()) expect(await run('w3m', '-dump_source', url)).toEqual(await command(url))
  })

  test('shows folders and menus', async () => {
    expect(String(await run('w3m', '-dump', `${servers.ftp.url}pub/`))).toMatch(/^hello\.txt {2}2001-02-03 {2}14$/m)
    expect(String(await run('w3m', '-dump', servers.gopher.url))).toMatch(/^Search the files$/m)
  })
})

suite('squid', (squid) => {
  // Debian's squid 5.7 and squid 6 answer 501 to Gopher themselves.
  test('reads files and folders by FTP from its parent', async () => {
    for (const url of [...urls.ftp(), `${servers.ftp.url}pub/`]) {
      const octets = await run('curl', '-q', '-sS', '-f', '-x', squid.url('http', '/'), url)
      expect(octets.equals(await command(url))).toBe(true)
    }
  })
})
