/** The files of every FTP server (servers/lib.sh), and how the command and the library show it. */
import { readdir, stat } from 'node:fs/promises'
import { type Client, type ClientOptions, createClient, type Entry, type RetrievalEvent } from '@retriever/fetchers'
import { expect } from 'vitest'
import { expectOctets, retrieve, type ServerUnderTest } from '../suite.ts'

export interface Listings {
  /** The best listing that the server knows. */
  readonly format: 'mlsd' | 'list'
  /** Leaves `.hidden` out of all listings. */
  readonly hidesDotFiles?: boolean
}

/** The names that `retrieve ls` shows, sorted. */
export async function listed(url: string, ...options: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await retrieve('ls', '--json', ...options, url)
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const lines = stdout.toString().trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as Entry).name).sort()
}

/** The names in pub/ of the seed: names with blanks, `%`, `#` and umlauts among them. */
export async function seedNames(server: ServerUnderTest, { hidesDotFiles = false }: Listings): Promise<string[]> {
  const names = await readdir(server.path('root/pub'))
  return names.filter((name) => !(hidesDotFiles && name.startsWith('.'))).sort()
}

/** Paths of several directories, in an order that changes directories again and again. */
export const paths: readonly string[] = [
  'pub/bytes.bin',
  'pub/big.bin',
  'pub/sub/deep/file.txt',
  'pub/hello.txt',
  'pub/empty.txt',
  'pub/sub/deep/file.txt',
  'pub/big.bin',
  'pub/name with spaces.txt',
]

/** When the seed file was modified: by the file system, which the server asks too. */
export async function seedTime(server: ServerUnderTest, path: string): Promise<Date> {
  return (await stat(server.path(`root/${path}`))).mtime
}

/** A client, what happened, and how many control connections there were to the server at this offset. */
export interface Watched extends AsyncDisposable {
  readonly client: Client
  readonly events: readonly RetrievalEvent[]
  connections(port: number): number
}

export function watched(options: ClientOptions = {}): Watched {
  const events: RetrievalEvent[] = []
  const client = createClient({ ...options, onEvent: (event) => events.push(event) })
  return {
    client,
    events,
    connections: (port) => events.filter((event) => event.type === 'connected' && event.port === port).length,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** Retrieves the paths one after the other, and compares each with the seed. */
export async function retrieveEach(
  client: Client,
  server: ServerUnderTest,
  url: (path: string) => string,
  wanted: readonly string[] = paths,
): Promise<void> {
  for (const path of wanted) {
    const representation = await client.retrieve(url(`/${encodeURI(path)}`))
    expectOctets(await representation.bytes(), await server.seed(`root/${path}`))
  }
}
