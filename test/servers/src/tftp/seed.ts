/** The files by name. `bytes.bin` has 3000 octets; `full.bin` has a whole number of blocks of 512 octets. */
export const files: Readonly<Record<string, Buffer>> = {
  'hello.txt': Buffer.from('Hello, world.\nA \r in a line.\n'),
  'empty.txt': Buffer.alloc(0),
  'bytes.bin': Buffer.from(Uint8Array.from({ length: 3000 }, (_, at) => at % 256)),
  'full.bin': Buffer.alloc(4096, 'full'),
  'long.bin': Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7) % 256)),
  'name with spaces': Buffer.from('spaces\n'),
}
