import { describe, expect, test } from 'vitest'
import { failure, retrieve, type ServerUnderTest } from '../suite.ts'
import { seedNames } from './http-checks.ts'

interface Listed {
  readonly name: string
  readonly kind: string
  readonly url: string
  readonly size?: number
}

/**
 * `retrieve ls` of the page that a server makes of a directory: each name as it is, none but these, and each URL leads
 * there.
 */
export function testIndex(server: ServerUnderTest, path: string, scheme: 'http' | 'https' = 'http', offset = 0): void {
  const trust = (): string[] => (scheme === 'https' ? ['--cacert', server.path('ca.pem')] : [])
  const url = (): string => server.url(scheme, path, { offset })

  describe(`ls of ${path} by ${scheme}`, () => {
    test('has every name once, and whole', async () => {
      const entries = await listed(url(), ...trust())
      const names = seedNames.filter((name) => !name.includes('/')).concat('sub')
      expect(
        entries
          .map(({ name }) => name.replace(/\/$/, ''))
          .filter((name) => name !== 'huge.txt')
          .sort(),
      ).toEqual([...names].sort())
      const kinds = Object.fromEntries(entries.map(({ name, kind }) => [name.replace(/\/$/, ''), kind]))
      expect(kinds).toMatchObject({ sub: 'directory', 'hello.txt': 'file' })
    })

    test('has URLs that lead on', async () => {
      const entries = (await listed(url(), ...trust())).filter(({ kind }) => kind === 'file')
      const odd = ['grüße.txt', '100%25#?.txt', `a&lt;<b>"'.txt`, 'name with spaces.txt']
      const urls = odd.map((name) => (entries.find((each) => each.name === name) ?? expect.fail(name)).url)
      const { status, stdout } = await retrieve(...trust(), ...urls)
      const seeds = await Promise.all(odd.map((name) => server.seed(`root/files/${name}`)))
      expect({ status, body: stdout.toString() }).toEqual({ status: 0, body: Buffer.concat(seeds).toString() })
    })
  })
}

export function testNoIndex(server: ServerUnderTest, path: string): void {
  test(`ls of ${path}, where there is no listing`, async () => {
    expect(await failure(22, 'ls', server.url('http', path))).toContain('403')
  })
}

async function listed(url: string, ...options: string[]): Promise<Listed[]> {
  const { status, stdout, stderr } = await retrieve('ls', '--json', ...options, url)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const lines = stdout.toString().trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Listed)
}
