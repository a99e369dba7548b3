/** A user's program, bundled by the usual bundlers from the built packages, and run. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { startServers } from '@retriever/servers'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longestRun } from '../support/longest-run.ts'

const execute = promisify(execFile)
const here = fileURLToPath(new URL('bundles/', import.meta.url))
const user = join(here, 'user.js')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-bundles-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a bundle against the test servers, far from any node_modules. */
async function run(file: string): Promise<string> {
  await using servers = await startServers({ http: true, ftp: true, gopher: true, nntp: true })
  const urls = [
    `${servers.http.url}pub/hello.txt`,
    `${servers.ftp.url}pub/hello.txt`,
    `${servers.gopher.url}0/pub/hello.txt`,
    servers.nntp.url,
  ]
  const { stdout } = await execute(process.execPath, [file, ...urls], { cwd: folder, timeout: longestRun })
  return stdout
}

const expected = /^http 14\nftp 14\ngopher 15\nnntp \d+\n(retrieved\n){4}$/

/** esbuild leaves the require() of CommonJS dependencies as it is, and an ES module has none. */
const requireBanner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

describe('a bundle of a program that uses the library runs, made by', () => {
  test.each(['one file', 'chunks'])('esbuild as an ES module in %s', async (arrangement) => {
    const outdir = join(folder, `esbuild ${arrangement}`)
    await build({
      entryPoints: [user],
      bundle: true,
      platform: 'node',
      format: 'esm',
      splitting: arrangement === 'chunks',
      banner: { js: requireBanner },
      outdir,
      outExtension: { '.js': '.mjs' },
    })
    expect(await run(join(outdir, 'user.mjs'))).toMatch(expected)
  })

  test('esbuild without `require` fails with a sentence', async () => {
    const outfile = join(folder, 'no-require.mjs')
    await build({ entryPoints: [user], bundle: true, platform: 'node', format: 'esm', outfile })
    await expect(run(outfile)).rejects.toThrow(
      /The fetcher for "ftp" could not be loaded: Dynamic require of "[^"]+" is not supported\. If this program is/,
    )
  })

  test('esbuild as CommonJS', async () => {
    const outfile = join(folder, 'user.cjs')
    await build({ entryPoints: [user], bundle: true, platform: 'node', format: 'cjs', outfile })
    expect(await run(outfile)).toMatch(expected)
  })

  test('Rollup', async () => {
    const dir = join(folder, 'rollup')
    await execute(join(here, '../../node_modules/.bin/rollup'), [
      '--config',
      join(here, 'rollup.config.mjs'),
      '--dir',
      dir,
      user,
    ])
    expect(await run(join(dir, 'user.mjs'))).toMatch(expected)
  })

  test('Vite for a server', async () => {
    const { build } = await import('vite')
    const outDir = join(folder, 'vite')
    await build({
      root: here,
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: 'user.js',
        outDir,
        emptyOutDir: false,
        rolldownOptions: { output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' } },
      },
      ssr: { noExternal: true },
    })
    expect(await run(join(outDir, 'user.mjs'))).toMatch(expected)
  })
})

test('the HTTP fetcher alone brings no code of FTP, News, Gopher or mail', async () => {
  const { metafile } = await build({
    stdin: { contents: "export { httpFetcher } from '@retriever/fetchers/http'", resolveDir: here },
    bundle: true,
    platform: 'node',
    format: 'esm',
    splitting: true,
    outdir: folder,
    write: false,
    metafile: true,
  })
  const sources = Object.keys(metafile.inputs).flatMap(sourcesOf)
  expect(sources.filter((path) => path.startsWith('src/protocols/http/')).length).toBeGreaterThan(10)
  expect(
    sources.filter((path) => /basic-ftp|iconv-lite|src\/(mime|protocols\/(ftp|nntp|gopher|file))\//.test(path)),
  ).toEqual([])
})

/** The sources whose code a chunk holds, or the path of another file: esbuild writes their names into a chunk. */
function sourcesOf(path: string): string[] {
  if (!path.includes('/dist/') || path.includes('node_modules')) return [path]
  return [...readFileSync(path, 'utf8').matchAll(/^\/\/ (src\/\S+)$/gm)].map(([, source = '']) => source)
}

test('core in a browser is as large as the guide says', async () => {
  const size = async (contents: string): Promise<number> => {
    const stdin = { contents, resolveDir: here }
    const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: 'esm', write: false })
    return gzipSync(outputFiles[0]?.contents ?? '').length / 1024
  }
  const guide = await readFile(join(here, '../../../docs/library.md'), 'utf8')
  const [, one, all] = /`resolve` is (\d+) KiB of it, compressed by gzip, and the whole (\d+)\./.exec(guide) ?? []
  const sizes = [
    await size("import { resolve } from '@retriever/core'; console.log(resolve(location.href))"),
    await size("export * from '@retriever/core'"),
  ]
  for (const [index, said] of [one, all].entries()) {
    expect(Math.abs(Number(said) - (sizes[index] ?? 0)), `KiB: ${sizes}`).toBeLessThan(2)
  }
})

/** A program that retrieves by the fetcher of one protocol, or by all. */
function programOf(protocol: string): string {
  const lines =
    protocol === 'all'
      ? ["import { createClient } from '@retriever/fetchers'", 'const client = createClient()']
      : [
          "import { createClient } from '@retriever/fetchers/client'",
          `import { ${protocol}Fetcher } from '@retriever/fetchers/${protocol}'`,
          `const client = createClient({ fetchers: [${protocol}Fetcher()] })`,
        ]
  return [
    ...lines,
    'const representation = await client.retrieve(process.argv[2])',
    'process.stdout.write(await representation.text())',
    'await client.close()',
  ].join('\n')
}

/** Kilobytes of 1,000 octets, minified and compressed, and what must not be among them. */
test.each([
  ['ftp', 113, /p-queue|picomatch|undici|iconv-lite|htmlparser2|protocols\/(?!ftp\/)/],
  ['http', 241, /p-queue|picomatch|basic-ftp|iconv-lite|protocols\/(?!http\/)/],
  ['gopher', 92, /p-queue|picomatch|undici|basic-ftp|iconv-lite|htmlparser2|protocols\/(?!gopher\/)/],
  ['all', 466, /node_modules\/(ssh2|domutils)|iconv-lite\/encodings\/tables/],
])('a bundle with %s as its protocols has at most %i KB', async (protocol, most, others) => {
  const outfile = join(folder, `${protocol}.mjs`)
  const { metafile, warnings } = await build({
    stdin: { contents: programOf(protocol), resolveDir: here },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    external: ['ssh2'],
    banner: { js: requireBanner },
    outfile,
    metafile: true,
  })
  expect(warnings).toEqual([])
  const [output] = Object.values(metafile.outputs)
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  expect(inputs.flatMap(([path]) => sourcesOf(path)).filter((path) => others.test(path))).toEqual([])
  expect(gzipSync(await readFile(outfile), { level: 9 }).length / 1000).toBeLessThanOrEqual(most)
  await using servers = await startServers({ http: true, ftp: true, gopher: true })
  const urls: Readonly<Record<string, string>> = {
    http: `${servers.http.url}pub/hello.txt`,
    gopher: `${servers.gopher.url}0/pub/hello.txt`,
  }
  const url = urls[protocol] ?? `${servers.ftp.url}pub/hello.txt`
  expect((await execute(process.execPath, [outfile, url], { cwd: folder })).stdout).toMatch(/^Hello/i)
})
