import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectOctets, failure, retrieve, retrieveToFile, type ServerUnderTest } from '../suite.ts'

/** The names of http_seed in servers/lib.sh. */
export const seedNames: readonly string[] = [
  'hello.txt',
  'empty.txt',
  'bytes.bin',
  'big.txt',
  'page.html',
  'name with spaces.txt',
  'grüße.txt',
  '100%25#?.txt',
  `a&lt;<b>"'.txt`,
  'sub/file.txt',
]

const encoded = (name: string): string => name.split('/').map(encodeURIComponent).join('/')

/** Every file arrives as it is, and what is not there is an error. */
export function testFiles(server: ServerUnderTest, scheme: 'http' | 'https' = 'http', offset = 0): void {
  const trust = (): string[] => (scheme === 'https' ? ['--cacert', server.path('ca.pem')] : [])
  const url = (path: string): string => server.url(scheme, path, { offset })

  test('every file, whatever its name, by one command', async () => {
    const urls = seedNames.map((name) => url(`/files/${encoded(name)}`))
    const { status, stdout, stderr } = await retrieve(...trust(), ...urls)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const seeds = await Promise.all(seedNames.map((name) => server.seed(`root/files/${name}`)))
    expectOctets(stdout, Buffer.concat(seeds))
  })

  test('one to a file', async () => {
    expectOctets(await retrieveToFile(url('/files/bytes.bin'), ...trust()), await server.seed('root/files/bytes.bin'))
  })

  test('a missing file', async () => {
    expect(await failure(22, ...trust(), url('/files/none'))).toContain('404')
  })
}

/** -r and -C. */
export function testRanges(server: ServerUnderTest, name: string, offset = 0): void {
  const url = (): string => server.url('http', `/files/${name}`, { offset })
  const seed = (): Promise<Buffer> => server.seed(`root/files/${name}`)

  test.each([
    ['0-4', 0, 5],
    ['1000-', 1000, undefined],
    ['100-199', 100, 200],
  ] as const)('-r %s', async (range, from, to) => {
    expectOctets(await retrieveToFile(url(), '-r', range), (await seed()).subarray(from, to))
  })

  test('-r beyond the end', async () => {
    expect(await failure(33, '-r', '99999999-', url())).toContain('outside of the resource')
  })

  test('-C - --continue-unverified goes on where the file ends; at its end it is left as it is', async () => {
    const whole = await seed()
    await withFile(whole.subarray(0, 12_345), async (file) => {
      for (const _ of ['the rest', 'nothing']) {
        const { status, stderr } = await retrieve('-s', '-S', '--continue-unverified', '-C', '-', '-o', file, url())
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
        expectOctets(await readFile(file), whole)
      }
    })
  })

  test('-C OFFSET to standard output', async () => {
    const { status, stdout } = await retrieve('-C', '500', url())
    expect(status).toBe(0)
    expectOctets(stdout, (await seed()).subarray(500))
  })
}

/** -z, by Last-Modified of the seed: 2001-02-03 04:05:06 UTC. */
export function testDates(server: ServerUnderTest): void {
  const url = (): string => server.url('http', '/files/hello.txt')

  test('-z DATE, older and newer than the file', async () => {
    const seed = await server.seed('root/files/hello.txt')
    expectOctets(await retrieveToFile(url(), '-z', '2001-02-03 04:05:05 UTC'), seed)
    for (const date of ['2001-02-03 04:05:06 UTC', '2020-01-01']) {
      const { status, stdout } = await retrieve('-s', '-z', date, url())
      expect({ status, stdout: stdout.toString() }).toEqual({ status: 0, stdout: '' })
    }
  })

  test('-z FILE, which the retrieval has dated', async () => {
    await withFile(Buffer.from('old'), async (file) => {
      await retrieve('-s', '-o', file, url())
      const { status } = await retrieve('-s', '-z', file, '-o', file, url())
      expect(status).toBe(0)
      expectOctets(await readFile(file), await server.seed('root/files/hello.txt'))
    })
  })
}

/** Makes a file of these octets for as long as `use` runs. */
export async function withFile(octets: Uint8Array, use: (file: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'retrieve-'))
  try {
    const file = join(dir, 'representation')
    await writeFile(file, octets)
    await use(file)
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** The lines of a server's access.log with this word, which a test puts into its URLs. */
export async function logged(server: ServerUnderTest, word: string): Promise<string[]> {
  const lines = (await readFile(server.path('access.log'), 'utf8')).split('\n')
  return lines.filter((line) => line.includes(word))
}
