/** A message of a recording, one octet a character; null: that side ended the connection. */
export interface RecordedMessage {
  readonly from: 'client' | 'server'
  readonly octets: string | null
}

/** A request, and what the server sent before the next one; null: it ended the connection, or sent nothing. */
export interface Exchange {
  readonly request: string
  readonly answer: string | null
}

/**
 * Reads the complete bytes of a recording: below the head with its decoded fields, each message begins with `[1] C:` or
 * `[2] S:`, and each of its lines has an offset, up to 16 octets in hexadecimal, and the octets as text.
 */
export function readRecording(text: string): RecordedMessage[] {
  const [, bytes] = text.split(/^Complete bytes\n-+\n/m)
  if (bytes === undefined) throw new Error('The recording has no part "Complete bytes".')
  return bytes
    .split(/^(?=\[\d+\] [CS]:)/m)
    .filter((part) => part.startsWith('['))
    .map((part) => {
      const from = /^\[\d+\] C:/.test(part) ? 'client' : 'server'
      if (/^\[\d+\] [CS]: FIN/.test(part)) return { from, octets: null }
      const lines = [...part.matchAll(/^[CS]: ([0-9a-f]+) {2}((?:[0-9a-f]{2} ?){1,16})(?: |$)/gm)]
      const hex = lines.map(([, offset = '', octets = ''], at) => {
        if (Number.parseInt(offset, 16) !== at * 16) throw new Error(`Octets are missing before ${offset}.`)
        return octets.replaceAll(' ', '')
      })
      return { from, octets: Buffer.from(hex.join(''), 'hex').toString('latin1') }
    })
}

/** The requests of a recording, each with its answer. */
export function exchangesOf(messages: readonly RecordedMessage[]): Exchange[] {
  return messages.flatMap(({ from, octets }, at) => {
    if (from !== 'client' || octets === null) return []
    const next = messages[at + 1]
    return [{ request: octets, answer: next?.from === 'server' ? next.octets : null }]
  })
}
