import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, chown, cp, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { bin, temporaryFolder, useBundle } from '../support/cli/run.ts'
import { isFull } from '../support/runs.ts'

useBundle()

/** For `npm run test:all`: each of these starts the command many times. */
const seldom = test.runIf(isFull)

/** The source files that a command line loads, by the comments in its chunks, and the modules of Node. */
function loadedBy(...args: readonly string[]): { sources: string[]; modules: string[] } {
  const program = `const vm = require('node:vm')
    const files = []
    vm.Script = class extends vm.Script {
      constructor(code, options) {
        super(code, options)
        files.push(options.filename)
      }
    }
    process.argv = [process.execPath, ...process.argv.slice(1)]
    const list = () => JSON.stringify([process.argv[1], ...files, ...process.moduleLoadList])
    process.on('exit', () => require('node:fs').writeSync(2, list()))
    require(process.argv[1])`
  const shell = `exec "$0" --eval "$1" "$2" "\${@:3}" 2>&1 >/dev/null`
  const text = execFileSync('bash', ['-c', shell, process.execPath, program, bin, ...args], { encoding: 'utf8' })
  const names: string[] = JSON.parse(text)
  const files = names.filter((name) => name.startsWith('/'))
  return {
    sources: files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^\/\/! (\S+\.(?:ts|js|cjs))$/gm)].map(([, path = '']) => path),
    ),
    modules: names.filter((name) => name.startsWith('NativeModule ')).map((name) => name.slice('NativeModule '.length)),
  }
}

/** What only retrievals need, each its own part. */
const heavy =
  /undici|bullmq|ioredis|basic-ftp|iconv-lite|htmlparser2|p-queue|fetchers\/src\/(http|ftp|nntp|gopher|mime)\/index\.ts/
const heavyModules = ['crypto', 'tls', 'http', 'http2', 'fs/promises', 'readline', 'child_process']

test('explain loads no mechanism, no library, and no part of Node that only connections need', () => {
  const { sources, modules } = loadedBy('explain', 'http://www.example.org/')
  expect(sources).toContain('../core/src/resolve.ts')
  expect(sources.filter((path) => heavy.test(path))).toEqual([])
  expect(modules).toContain('events')
  expect(modules.filter((name) => heavyModules.includes(name))).toEqual([])
})

test('a retrieval loads only what its options need', () => {
  const { sources } = loadedBy('data:,x')
  expect(sources).toContain('../fetchers/src/client/retrieval.ts')
  const others =
    /tough-cookie|p-queue|src\/(?:cookies\/jar|many\/(?:parallel|list)|help\/|results\/|write-out\/index|terminal\/trace|tracing\/error-file)|wire\/transport\/ways|http\/cookies/
  expect(sources.filter((path) => others.test(path))).toEqual([])
})

test('--version loads nothing of the command', () => {
  const { sources, modules } = loadedBy('--version')
  expect(sources).toContain('src/bin.ts')
  expect(sources).not.toContain('src/main.ts')
  expect(modules.filter((name) => heavyModules.includes(name))).toEqual([])
})

test.skipIf(!existsSync('/dev/full'))('--version says where it cannot be written', async () => {
  const { status, stderr } = spawnSync('bash', ['-c', '"$0" "$1" --version >/dev/full', process.execPath, bin])
  expect(`${status} ${stderr}`).toMatch(/^23 retrieve: Standard output cannot be written: /)
})

describe('the code that V8 compiled is kept in dist/.cache', () => {
  const folder = temporaryFolder()
  beforeAll(() =>
    cp(dirname(bin), join(folder(), 'dist'), { recursive: true, filter: (path) => !/\.cache/.test(path) }),
  )
  /** The files of an installation are those of one copy, by hard links; the folder of compiled code is its own. */
  const install = async (name: string): Promise<string> => {
    const [from, at] = [join(folder(), 'dist'), join(folder(), name)]
    await mkdir(join(at, 'dist/chunks'), { recursive: true })
    for (const file of await readdir(from, { recursive: true, withFileTypes: true })) {
      const path = relative(from, join(file.parentPath, file.name))
      if (file.isFile()) await link(join(from, path), join(at, 'dist', path))
    }
    return at
  }
  const schemes = (at: string): string =>
    execFileSync(process.execPath, [join(at, 'dist/bin.js'), 'schemes'], { encoding: 'utf8', stdio: 'pipe' })

  test('for the command, for four runs: later ones write nothing', async () => {
    const at = await install('writable')
    const said = schemes(at)
    const [file = ''] = await readdir(join(at, 'dist/.cache'))
    expect(file).toMatch(new RegExp(`^${process.version}-.*-schemes$`))
    const contents = [0, 1, 2, 3].map(() => {
      expect(schemes(at)).toBe(said)
      return readFileSync(join(at, 'dist/.cache', file)).toString('latin1', 0, 30)
    })
    const [, , third, fourth] = contents
    expect(third).toBe(fourth)
    expect(third).toContain('"runs":0')
    expect(await readdir(join(at, 'dist/.cache'))).toEqual([file])
  })

  test.each([
    ['a retrieval by HTTP', 1],
    ...(isFull ? [['a list, while V8 optimises nothing,', 300] as const] : []),
  ] as const)(
    'for %s too: no flag of V8 is left changed, under which the code would be of no use',
    async (_, count) => {
      const at = await install(`retrieval-${count}`)
      const server = createServer((_, response) => response.end('body')).listen(0, '127.0.0.1')
      try {
        await once(server, 'listening')
        const address = server.address()
        if (address === null || typeof address === 'string') throw new Error('The server has no port.')
        const urls = Array.from({ length: count }, (_, index) => `http://127.0.0.1:${address.port}/${index}`)
        for (let run = 0; run < 4; run++) {
          const { stdout } = await promisify(execFile)(process.execPath, [join(at, 'dist/bin.js'), '-Z', ...urls])
          expect(stdout).toBe('body'.repeat(count))
        }
      } finally {
        server.close()
      }
      const [file = ''] = await readdir(join(at, 'dist/.cache'))
      expect(readFileSync(join(at, 'dist/.cache', file)).toString('latin1', 0, 30)).toContain('"runs":0')
    },
  )

  seldom('for many URLs apart from single ones, whose runs need not read it', async () => {
    const at = await install('many')
    const get = (...words: string[]): void => {
      execFileSync(process.execPath, [join(at, 'dist/bin.js'), ...words], { stdio: 'pipe' })
    }
    const list = join(folder(), 'list.txt')
    await writeFile(list, 'data:,a\ndata:,b\n')
    get('data:,a')
    const [single = ''] = await readdir(join(at, 'dist/.cache'))
    const learned = readFileSync(join(at, 'dist/.cache', single))
    for (const words of [['--from', list], [`--from=${list}`], ['-sZ', 'data:,a', 'data:,b']]) get(...words)
    expect(await readdir(join(at, 'dist/.cache'))).toEqual([single, `${single}-many`])
    expect(readFileSync(join(at, 'dist/.cache', single)).equals(learned)).toBe(true)
  })

  seldom('for a long list too, whose heap V8 lets grow slowly', async () => {
    const at = await install('long')
    const list = join(folder(), 'long.txt')
    await writeFile(list, 'data:,a\n'.repeat(1600))
    for (let run = 0; run < 4; run++) {
      const words = [join(at, 'dist/bin.js'), '-sZ', '--from', list]
      expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toBe('a'.repeat(1600))
    }
    const [file = ''] = await readdir(join(at, 'dist/.cache'))
    expect(readFileSync(join(at, 'dist/.cache', file)).toString('latin1', 0, 30)).toContain('"runs":0')
  })

  seldom.each(['', '0000000002{}', 'x'.repeat(100)])('a file with %j in place of code is replaced', async (garbage) => {
    const at = await install(`garbage-${garbage.length}`)
    const said = schemes(at)
    const [file = ''] = await readdir(join(at, 'dist/.cache'))
    await writeFile(join(at, 'dist/.cache', file), garbage)
    expect(schemes(at)).toBe(said)
    expect(readFileSync(join(at, 'dist/.cache', file)).length).toBeGreaterThan(1000)
  })

  /** Runs until nothing more is learned; the path of the file then. */
  const learned = async (at: string): Promise<string> => {
    for (let run = 0; run < 4; run++) {
      schemes(at)
      const [file = ''] = await readdir(join(at, 'dist/.cache'))
      const path = join(at, 'dist/.cache', file)
      if (readFileSync(path).toString('latin1', 0, 30).includes('"runs":0')) return path
    }
    return expect.fail('It still learns after four runs.')
  }

  const damages: Readonly<Record<string, (octets: Buffer) => Buffer>> = {
    'one octet changed': (octets) => {
      const copy = Buffer.from(octets)
      const at = copy.length - 1000
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy
    },
    'zeros for code': (octets) => Buffer.concat([octets.subarray(0, 2000), Buffer.alloc(octets.length - 2000)]),
    'its end cut off': (octets) => octets.subarray(0, octets.length - 5000),
  }
  test.each(Object.keys(damages).slice(0, isFull ? undefined : 1))(
    'a file with %s is found out, and replaced',
    async (damage) => {
      const at = await install(damage.replaceAll(' ', '-'))
      const said = schemes(at)
      const file = await learned(at)
      const damaged = damages[damage]?.(readFileSync(file)) ?? Buffer.alloc(0)
      await writeFile(file, damaged)
      expect(schemes(at)).toBe(said)
      const after = readFileSync(file)
      expect(after.subarray(-6000).equals(damaged.subarray(-6000))).toBe(false)
      expect(after.toString('latin1', 0, 30)).toContain('"runs":2')
      // The new one is whole: it is used, and comes to rest.
      expect(await learned(at)).toBe(file)
    },
  )

  test.runIf(isFull && process.getuid?.() === 0)(
    'that of another user is not used (needs root, to make one)',
    async () => {
      const other = 65_534
      const at = await install('foreign')
      const file = await learned(at)
      const content = readFileSync(file)
      await chown(file, other, other)
      schemes(at)
      expect(statSync(file).uid).toBe(process.getuid?.())
      expect(readFileSync(file).toString('latin1', 0, 30)).toContain('"runs":2')

      await writeFile(file, content)
      await chmod(file, 0o666)
      schemes(at)
      expect(statSync(file).mode & 0o777).toBe(0o644)

      await rm(file)
      await chown(dirname(file), other, other)
      schemes(at)
      expect(await readdir(dirname(file))).toEqual([])

      await rm(dirname(file), { recursive: true })
      await chown(join(at, 'dist'), other, other)
      schemes(at)
      expect(await readdir(join(at, 'dist'))).not.toContain('.cache')
    },
  )

  test('without the right to write there, all works', async () => {
    const at = await install('read-only')
    await writeFile(join(at, 'dist/.cache'), 'a file where the folder would be')
    expect(schemes(at)).toMatch(/^SCHEME /)
  })

  // Windows has no such rights.
  test.skipIf(process.platform === 'win32')(
    'is written by its owner alone, and left where others may write',
    async () => {
      const at = await install('rights')
      const umask = process.umask(0)
      try {
        schemes(at)
      } finally {
        process.umask(umask)
      }
      const cache = join(at, 'dist/.cache')
      const [file = ''] = await readdir(cache)
      expect([cache, join(cache, file)].map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o644])
      await rm(join(cache, file))
      await chmod(cache, 0o777)
      schemes(at)
      expect(await readdir(cache)).toEqual([])
    },
  )

  test('is not used, and stays, where Node has other flags', async () => {
    const at = await install('flags')
    const file = await learned(at)
    const before = readFileSync(file)
    execFileSync(process.execPath, ['--no-opt', join(at, 'dist/bin.js'), 'schemes'])
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

describe('the library is loaded', () => {
  /** The modules of Node that an import of these files loads. */
  function modulesOf(...files: string[]): string[] {
    const urls = files.map((file) => new URL(`../../packages/fetchers/dist/${file}`, import.meta.url).href)
    const program = `
      const before = new Set(process.moduleLoadList)
      Promise.all(${JSON.stringify(urls)}.map((url) => import(url))).then(() =>
        process.stdout.write(process.moduleLoadList.filter((name) => !before.has(name)).join('\\n')))`
    return execFileSync(process.execPath, ['--eval', program], { encoding: 'utf8' }).split('\n')
  }

  test('without the fetch of Node, which takes 30 ms', () => {
    const loaded = modulesOf('index.js').join()
    expect(loaded).toContain('crypto')
    expect(loaded).not.toContain('undici')
  })

  test('without what only saving and lookups need, in a client of FTP', () => {
    const loaded = modulesOf('client.js', 'protocols/ftp/index.js')
    expect(loaded).toContain('NativeModule tls')
    expect(loaded).not.toContain('NativeModule child_process')
    expect(loaded).not.toContain('NativeModule dns/promises')
  })

  test('from few files', () => {
    const dist = fileURLToPath(new URL('../../packages/fetchers/dist/', import.meta.url))
    const loaded = new Set<string>()
    const load = (file: string): void => {
      if (loaded.has(file)) return
      loaded.add(file)
      const imports = readFileSync(join(dist, file), 'utf8').matchAll(/^(?:import|export) [^;]*?from "(\.[^"]+)";/gm)
      for (const [, path = ''] of imports) load(join(dirname(file), path))
    }
    load('client.js')
    load('protocols/ftp/index.js')
    expect([...loaded].filter((file) => file.startsWith('chunks/')).length).toBeGreaterThan(0)
    expect(loaded.size).toBeLessThan(20)
  })
})
