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

/** The document `long.txt` of the recorded server: 45,537 octets, of which each line begins one letter further on. */
const longDocument = `A long document about the leviathan\n\n${Array.from({ length: 700 }, (_, at) => {
  const letters = Array.from({ length: 54 }, (_, column) => String.fromCharCode(97 + ((at + 1 + column) % 26)))
  return `line ${String(at + 1).padStart(4, '0')} ${letters.join('')}\n`
}).join('')}`

/**
 * Reads the complete bytes of a recording: below the head with its decoded fields, each message begins with `[1] C:` or
 * `[2] S:`, and each of its lines has an offset, up to 16 octets in hexadecimal, and the octets as text. `octets 0 to
 * 10000 of the long document` stands for those 10,000 octets.
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
      const rows = part.matchAll(
        /^[CS]: ([0-9a-f]+) {2}(?:octets (\d+) to (\d+) of|((?:[0-9a-f]{2} ?){1,16})(?: |$))/gm,
      )
      let octets = ''
      for (const [, offset = '', start, end, hex = ''] of rows) {
        if (Number.parseInt(offset, 16) !== octets.length) throw new Error(`Octets are missing before ${offset}.`)
        octets +=
          start === undefined
            ? Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('latin1')
            : longDocument.slice(Number(start), Number(end))
      }
      return { from, octets }
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
