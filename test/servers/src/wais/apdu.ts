/** A field of Z39.50-1988: a tag and a value. Tag and length are numbers with seven bits an octet. */
export interface Field {
  readonly tag: number
  readonly value: Buffer
}

export function field(tag: number, ...values: (string | Uint8Array)[]): Buffer {
  const value = Buffer.concat(values.map((each) => (typeof each === 'string' ? Buffer.from(each, 'latin1') : each)))
  return Buffer.concat([compressed(tag), compressed(value.length), value])
}

/** A field whose value is a number, in as few octets as possible. */
export function numberField(tag: number, value: number): Buffer {
  const size = value > 0xffff ? 3 : value > 0xff ? 2 : 1
  const octets = Buffer.alloc(size)
  octets.writeUIntBE(value, 0, size)
  return field(tag, octets)
}

function compressed(value: number): Buffer {
  const octets = [value & 127]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) octets.unshift(128 | (rest & 127))
  return Buffer.from(octets)
}

/** The fields in octets, as far as they are readable. */
export function fieldsOf(octets: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const number = (): number => {
    let value = 0
    while (at < octets.length) {
      const octet = octets[at++] ?? 0
      value = value * 128 + (octet & 127)
      if (octet < 128) break
    }
    return value
  }
  while (at < octets.length) {
    const tag = number()
    const length = number()
    fields.push({ tag, value: octets.subarray(at, at + length) })
    at += length
  }
  return fields
}

export function textOf(fields: readonly Field[], tag: number): string {
  return fields.find((each) => each.tag === tag)?.value.toString('latin1') ?? ''
}

/** A diagnostic (tag 28). Its length has two octets, and a mark ends it. */
export function diagnostic(code: string, words: string, surrogate: 0 | 1): Buffer {
  const value = Buffer.from(`${code}${words}${String.fromCharCode(surrogate)}`, 'latin1')
  return Buffer.concat([Buffer.from([28, value.length >> 8, value.length & 255]), value, Buffer.from([0x1d])])
}

/** The beginning of a packet: version, server's name, compression, encoding and checksum (RFC 1625 3). */
export const usualHeader = '2wais        0'

/** A packet with an APDU. Answers repeat the `header` of the request. */
export function packet(apdu: Buffer, header: string = usualHeader): Buffer {
  return Buffer.concat([Buffer.from(`${String(apdu.length).padStart(10, '0')}z${header}`, 'latin1'), apdu])
}

/** The fields at the beginning of a search response. */
export interface ResponseHead {
  readonly status: 0 | 1
  /** The reference-id; "" if none was sent. */
  readonly reference?: string
  /** The number of records to announce; by default the true one. */
  readonly count?: number
}

/** The APDU of a search response: status, number of records, and in the user information the records. */
export function searchApdu({ status, reference = '', count }: ResponseHead, records: readonly Buffer[]): Buffer {
  const number = count ?? records.length
  const numbers = [0, 0, 0, number >> 16, (number >> 8) & 255, number & 255, 0, 0, 0]
  const fields = [numberField(27, 0), ...(reference === '' ? [] : [field(2, reference)])]
  const head = Buffer.concat([Buffer.from([23, status, ...numbers]), ...fields])
  return Buffer.concat([Buffer.from([head.length >> 8, head.length & 255]), head, field(99, ...records)])
}

/** A search response as a packet. */
export function searchResponse(status: 0 | 1, reference: string, records: readonly Buffer[]): Buffer {
  return packet(searchApdu({ status, reference }, records))
}

/** The APDU of the answer to Init. It repeats what the client offered: version, options, and sizes. */
export function initApdu(offered: readonly Field[]): Buffer {
  const repeated = offered.filter(({ tag }) => tag >= 3 && tag <= 6).map(({ tag, value }) => field(tag, value))
  const own = [field(8, 'LS6'), field(9, 'University of Dortmund Informatik VI'), field(10, '2.2.8 string')]
  const head = Buffer.concat([Buffer.from([21, 1]), ...repeated, ...own])
  const chunks = field(99, numberField(100, 0), numberField(101, 0))
  return Buffer.concat([Buffer.from([head.length >> 8, head.length & 255]), head, chunks])
}
