import { field, packet, searchResponse } from './apdu.ts'

/** A hostile server's answers to a search, by the words of the search. */
export const misbehaviours: Readonly<Record<string, Buffer>> = {
  /** A packet that claims more octets than anybody accepts. */
  huge: Buffer.from('9999999999z2wais        0'),
  /** An empty packet, which freeWAIS sends if it cannot answer. */
  empty: Buffer.from('0000000000z2wais        0'),
  /** A record that claims more octets than there are. */
  'false-length': searchResponse(1, '', [Buffer.from([0x81, 0x16, 0x8f, 0xff, 0x7f, 0x74, 0])]),
  /** A header that claims to be longer than the packet. */
  'long-header': packet(Buffer.from([0xff, 0xff, 23, 1])),
  /** A number that never ends. */
  'endless-number': searchResponse(1, '', [Buffer.alloc(100, 0xff)]),
  /** An answer to another kind of request. */
  'wrong-type': packet(Buffer.from([0, 2, 21, 1])),
  /** A hundred thousand empty records. */
  crowded: searchResponse(1, '', [Buffer.alloc(200_000, Buffer.from([100, 0]))]),
  /** A negative acknowledgement. */
  refused: Buffer.from('0000000001n2wais        0x'),
  /** A packet that says it is compressed. */
  compressed: Buffer.from('0000000003z2wais      u 0abc'),
  /** A hundred thousand octets of noise, and no packet. */
  noise: Buffer.alloc(100_000, 'noise'),
  /** Noise before the packet, which old clients skipped. */
  'some-noise': Buffer.concat([Buffer.from('\r\nnoise'), searchResponse(1, '', [])]),
  /** A headline that would control a terminal, and a URL that leads to a file. */
  escapes: searchResponse(1, '', [
    field(150, field(116, field(3, 'x\x1b[2J')), field(132, field(133, 'TEXT')), field(123, '\x1b(\x1b[2Jevil\n\x07')),
    field(150, field(116, field(3, 'y')), field(132, field(133, 'URL')), field(123, 'file:///etc/passwd')),
    field(150, field(123, 'without an id')),
  ]),
}
