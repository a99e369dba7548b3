/** The expectations of every FTP server, and where they differ. */
import { createClient, type Entry } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { expect, test } from 'vitest'
import { expectOctets, failure, retrieveToFile, type ServerUnderTest } from '../suite.ts'
import { type Listings, listed, retrieveEach, seedNames } from './ftp-seed.ts'

interface Differences extends Listings {
  /** The replies to `CWD ` with a null argument and, where that is refused, to `CWD` alone. */
  readonly nullCwd: readonly number[]
  /** The lines of `NLST pub`; `*` is each name. */
  readonly names: readonly string[]
  /** Its 150 tells the size: `(27 bytes)`. */
  readonly tellsSize: boolean
  /** In TYPE A sends CR CR LF for the CR LF of a file. */
  readonly doublesCr?: boolean
  /** Where pub/ is for alice, from the root; `/` unless told. */
  readonly root?: () => string
}

/** Files, directories, refusals, in the clear. */
export function retrieval(server: ServerUnderTest, differences: Differences): void {
  files(server, differences)
  paths(server, differences)
  refusals(server)
  listings(server, differences)
  ranges(server)
}

function files(server: ServerUnderTest, { tellsSize, doublesCr = false }: Differences): void {
  test.each(['bytes.bin', 'big.bin', 'empty.txt'])('every octet of %s', async (name) => {
    expectOctets(await retrieveToFile(server.url('ftp', `/pub/${name}`)), await server.seed(`root/pub/${name}`))
  })

  test('a name with spaces', async () => {
    expectOctets(
      await retrieveToFile(server.url('ftp', '/pub/name%20with%20spaces.txt')),
      await server.seed('root/pub/name with spaces.txt'),
    )
  })

  test('local line ends, with ;type=a', async () => {
    const text = await retrieveToFile(server.url('ftp', '/pub/hello.txt;type=a'))
    expect(text.toString()).toBe('Hello, world.\nSecond line.\n')
    // In TYPE I this file would keep its CRs; so it does in TYPE A where the server takes them for text.
    const crlf = await retrieveToFile(server.url('ftp', '/pub/crlf.txt;type=a'))
    expect(crlf.toString()).toBe(doublesCr ? 'one\r\ntwo\r\nthree\r\n' : 'one\ntwo\nthree\n')
  })

  // needs: pipelining (SIZE where it costs no round trip)
  test('the library', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('ftp', '/pub/big.bin'))
    expect(representation).toMatchObject({ kind: 'object', size: 2 ** 20 })
    expectOctets(await representation.bytes(), await server.seed('root/pub/big.bin'))
  })

  // needs: pipelining (an option to leave it out)
  test('one command at a time: the same files, and no size but that of the 150', async () => {
    await using client = createClient({ fetchers: [ftpFetcher({ pipelining: false })] })
    const representation = await client.retrieve(server.url('ftp', '/pub/big.bin'))
    expect(representation).toMatchObject({ kind: 'object', size: tellsSize ? 2 ** 20 : null })
    expectOctets(await representation.bytes(), await server.seed('root/pub/big.bin'))
    await retrieveEach(client, server, (path) => server.url('ftp', path))
  })
}

function paths(server: ServerUnderTest, { nullCwd, root = () => '/' }: Differences): void {
  test('a path from the root, as a user with a password', async () => {
    // CWD pub, CWD /pub: relative to pub/ it would not be there.
    const path = `/pub/${encodeURIComponent(`${root()}pub`)}/hello.txt`
    expectOctets(
      await retrieveToFile(server.url('ftp', path, { user: 'alice:secret' })),
      await server.seed('root/pub/hello.txt'),
    )
  })

  test('a double slash, which is a CWD with a null argument', async () => {
    const wire: string[] = []
    await using client = createClient({
      onEvent: (event) => {
        if (event.type === 'sent' || event.type === 'received') wire.push(event.octets)
      },
    })
    const representation = await client.retrieve(server.url('ftp', '//pub/hello.txt'))
    expectOctets(await representation.bytes(), await server.seed('root/pub/hello.txt'))
    const sent = ['CWD \r\n', 'CWD\r\n'].slice(0, nullCwd.length)
    const first = wire.indexOf('CWD \r\n')
    const dialogue = wire.slice(first, first + 2 * sent.length).map((octets) => octets.replace(/^(\d{3}) .*/s, '$1'))
    expect(dialogue).toEqual(sent.flatMap((command, index) => [command, String(nullCwd[index])]))
    expect(wire[first + dialogue.length]).toBe('CWD pub\r\n')
  })
}

function refusals(server: ServerUnderTest): void {
  test('a missing file', async () => {
    expect(await failure(78, server.url('ftp', '/pub/none.txt'))).toMatch(/"none\.txt".* It said: 550 /)
  })

  test('a missing directory', async () => {
    expect(await failure(78, server.url('ftp', '/none/hello.txt'))).toMatch(/"none".* It said: 550 /)
  })
}

function listings(server: ServerUnderTest, differences: Differences): void {
  test('a directory listing', async () => {
    expect(await listed(server.url('ftp', '/pub/'))).toEqual(await seedNames(server, differences))
  })

  test('names alone, with ;type=d', async () => {
    const url = server.url('ftp', '/pub;type=d')
    const names = await seedNames(server, differences)
    const lines = (await retrieveToFile(url)).toString().split('\n').sort()
    const expected = differences.names.flatMap((line) =>
      line.endsWith('*') ? names.map((n) => line.replace('*', n)) : line,
    )
    expect(lines).toEqual(['', ...expected].sort())
    expect(await listed(url)).toEqual(names)
  })

  test('entries, whose URLs lead to the files', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('ftp', '/pub/'))
    expect(representation).toMatchObject({ kind: 'listing', metadata: { format: differences.format } })
    const entries = new Map<string, Entry>()
    for await (const entry of representation.entries()) entries.set(entry.name, entry)
    expect(entries.get('big.bin')).toMatchObject({ kind: 'file', size: 2 ** 20 })
    expect(entries.get('sub')).toMatchObject({ kind: 'directory', url: server.url('ftp', '/pub/sub/') })
    const strange = await client.retrieve(entries.get('100%25#?.txt')?.url ?? expect.fail('no entry, or no URL'))
    expect(await strange.text()).toBe('percent\n')
  })
}

function ranges(server: ServerUnderTest): void {
  test.each([
    ['1000-1999', 1000, 2000],
    ['1048000-', 1_048_000, 2 ** 20],
  ])('the range %s', async (range, begin, end) => {
    const whole = await server.seed('root/pub/big.bin')
    expectOctets(await retrieveToFile(server.url('ftp', '/pub/big.bin'), '-r', range), whole.subarray(begin, end))
  })

  test('a range beyond the end', async () => {
    expect(await failure(33, '-r', '256-', server.url('ftp', '/pub/bytes.bin'))).toContain('there are 256')
  })
}
