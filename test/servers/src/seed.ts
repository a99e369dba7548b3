import { Tree } from './tree.ts'

/** Options of the servers with files. */
export interface FileOptions {
  /**
   * More files, or others in place of the seed's: absolute paths (sent as UTF-8) and contents. A path that ends in a
   * slash makes an empty directory.
   */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** The size of the generated file `/big`. Default 2 GiB. */
  readonly bigSize?: number
}

const everyOctet16Times: Uint8Array = Uint8Array.from({ length: 4096 }, (_, index) => index % 256)

const README = `Retriever's test server.

This tree is the same over FTP, HTTP and Gopher:

/readme.txt      this file
/pub/            files with names and contents that are easy to get wrong
/etc/motd        reached by ftp://host/%2Fetc/motd
/big             generated: octet n is n modulo 251
`

const seed: Readonly<Record<string, string | Uint8Array>> = {
  '/readme.txt': README,
  '/etc/motd': 'Welcome to the test server.\n',
  '/pub/a.bin': everyOctet16Times,
  '/pub/a;type=d': 'A file whose name looks like a typecode.\n',
  '/pub/dots.txt': 'first line\n.\n..\n.leading dot\n...\nlast line\n',
  '/pub/empty.txt': '',
  '/pub/grüße.txt': 'Grüße aus dem Testbaum.\n',
  '/pub/hello.txt': 'Hello, world.\n',
  '/pub/name with spaces.txt': 'The name of this file has spaces.\n',
  '/pub/nothing/': '',
  '/pub/sub/deep/file.txt': 'Three directories down.\n',
}

/** A name that is not UTF-8: the octet FF alone, which is also Telnet's IAC on an FTP control connection. */
const OCTET_FF = '/pub/\xff.txt'

/** The tree for one server or, with `startServers`, for all of them. */
export function seedTree(options: FileOptions = {}): Tree {
  const tree = new Tree()
  for (const [path, content] of Object.entries(seed)) tree.add(octets(path), bytes(content))
  tree.add(OCTET_FF, bytes('The name of this file is the octet FF.\n'))
  tree.addBig('/big', checkSize(options.bigSize ?? 2 ** 31))
  for (const [path, content] of Object.entries(options.files ?? {})) {
    if (!path.startsWith('/')) {
      throw new TypeError(`files: expected absolute paths, got ${JSON.stringify(path)}`)
    }
    tree.add(octets(path), bytes(content))
  }
  return tree
}

/** Text as its UTF-8 octets, one char each. */
function octets(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function bytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : content
}

function checkSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0) return size
  throw new TypeError(`bigSize: expected an integer from 0 up, got ${String(size)} (${typeof size})`)
}
