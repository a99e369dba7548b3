import { AsyncIterReader, LimitReader } from 'warcio'

/** The longest line of a chunk that is read: its length, perhaps with extensions (RFC 9112 7.1.1). */
const maxLine = 16 * 1024

type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Removes the frames of chunks (RFC 9112 7.1). Throws `damaged()` behind the octets that came if the end is missing.
 * Some programs archive the body without its frames and keep the header field: such a body stays as it is.
 */
export async function* dechunked(framed: Source, damaged: () => Error): AsyncGenerator<Uint8Array> {
  const reader = new AsyncIterReader(framed, null)
  for (let isFirst = true; ; isFirst = false) {
    const line = await reader.readlineRaw(maxLine)
    const size = line === null ? null : sizeOf(line)
    if (size === null) {
      if (!isFirst) throw damaged()
      if (line !== null) yield line
      return yield* reader
    }
    if (size === 0) break
    const chunk = new LimitReader(reader, size)
    yield* chunk
    const end = chunk.limit > 0 ? null : await reader.readSize(2)
    if (end === null || Buffer.compare(end, Buffer.from('\r\n')) !== 0) throw damaged()
  }
  // The trailer, and the empty line that ends it.
  for (let line = await reader.readlineRaw(maxLine); ; line = await reader.readlineRaw(maxLine)) {
    if (line === null) throw damaged()
    if (/^\r?\n$/.test(Buffer.from(line).toString('latin1'))) return
  }
}

function sizeOf(line: Uint8Array): number | null {
  const [, digits] = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?\r\n$/i.exec(Buffer.from(line).toString('latin1')) ?? []
  return digits === undefined ? null : Number.parseInt(digits, 16)
}
