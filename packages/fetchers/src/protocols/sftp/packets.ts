/** The packets of SFTP that we send and receive (draft-ietf-secsh-filexfer-02 3). */
export const packet = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  linkStat: 7,
  openDirectory: 11,
  readDirectory: 12,
  stat: 17,
  readLink: 19,
  status: 101,
  handle: 102,
  data: 103,
  names: 104,
  attributes: 105,
} as const

/** The status at the end of a file or directory (draft-ietf-secsh-filexfer-02 7). */
export const endOfFile = 1

/** A field of a request: a string of octets, one a character, or a handle; a 32-bit number; a 64-bit number. */
export type Field = string | Buffer | number | bigint

/** Writes a packet: its length, its type, and its fields. */
export function packetOf(type: number, ...fields: readonly Field[]): Buffer {
  const octets = fields.map(octetsOf)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(1 + octets.reduce((sum, { length }) => sum + length, 0))
  head[4] = type
  return Buffer.concat([head, ...octets])
}

function octetsOf(field: Field): Buffer {
  const number = Buffer.alloc(typeof field === 'bigint' ? 8 : 4)
  if (typeof field === 'bigint') number.writeBigUInt64BE(field)
  else if (typeof field === 'number') number.writeUInt32BE(field)
  else {
    const octets = typeof field === 'string' ? Buffer.from(field, 'latin1') : field
    number.writeUInt32BE(octets.length)
    return Buffer.concat([number, octets])
  }
  return number
}

/** Reads the fields of a packet. Throws a RangeError if the packet is too short for them. */
export class Fields {
  readonly #octets: Buffer
  #at = 0

  constructor(octets: Buffer) {
    this.#octets = octets
  }

  number(): number {
    this.#at += 4
    return this.#octets.readUInt32BE(this.#at - 4)
  }

  largeNumber(): number {
    this.#at += 8
    return Number(this.#octets.readBigUInt64BE(this.#at - 8))
  }

  octets(): Buffer {
    const length = this.number()
    if (this.#at + length > this.#octets.length) throw new RangeError('a string is longer than its packet')
    this.#at += length
    return this.#octets.subarray(this.#at - length, this.#at)
  }

  /** Reads a string, one octet a character. */
  text(): string {
    return this.octets().toString('latin1')
  }
}
