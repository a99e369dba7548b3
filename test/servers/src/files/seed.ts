import { octets } from '../text.ts'
import { MemoryTree } from './memory-tree.ts'

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

/** A name that is not UTF-8: the single octet FF, which is also Telnet's IAC on an FTP control connection. */
const OCTET_FF = '/pub/\xff.txt'

/** A tree with the seed files and `/big` of this size. */
export function seedTree(bigSize: number): MemoryTree {
  const tree = new MemoryTree()
  for (const [path, content] of Object.entries(seed)) {
    tree.add(octets(path), typeof content === 'string' ? Buffer.from(content, 'utf8') : content)
  }
  tree.add(OCTET_FF, Buffer.from('The name of this file is the octet FF.\n'))
  tree.addBig('/big', bigSize)
  return tree
}
