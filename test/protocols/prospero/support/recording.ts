/** One datagram of a recording. */
export interface Datagram {
  readonly from: 'C' | 'S'
  readonly octets: Buffer
}

/**
 * Reads a recording of the ISI server: `[n] C: ...` begins a datagram. Its header follows in hexadecimal (`   40 01`
 * and what that means), then the lines of its text behind `|`, with other octets as `\x0d`. `as [2]` stands for the
 * text of datagram 2: packets that were sent again.
 */
export function readRecording(text: string): Datagram[] {
  const texts: string[] = []
  return text
    .split(/^(?=\[\d+\] [CS]:)/m)
    .filter((part) => part.startsWith('['))
    .map((part) => {
      const header = [...part.matchAll(/^ {3}((?:[0-9a-f]{2} )*[0-9a-f]{2})(?: {2}|$)/gm)]
      const [, again] = /^ {5}as \[(\d+)\]$/m.exec(part) ?? []
      const lines = [...part.matchAll(/^ {5}\|(.*)$/gm)].map(([, line = '']) => unescaped(line))
      const body = again === undefined ? lines.join('\n') : (texts[Number(again) - 1] ?? '')
      texts.push(body)
      const octets = Buffer.from(header.map(([, octets = '']) => octets.replaceAll(' ', '')).join(''), 'hex')
      return {
        from: /^\[\d+\] C:/.test(part) ? 'C' : 'S',
        octets: Buffer.concat([octets, Buffer.from(body, 'latin1')]),
      }
    })
}

function unescaped(line: string): string {
  return line.replace(/\\(?:x([0-9a-f]{2})|\\)/g, (_, hex?: string) =>
    hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** A request and what followed it, until the client's next request. */
export interface Conversation {
  /** The two octets of the connection id. */
  readonly id: string
  /** The text of the request. */
  readonly request: string
  readonly datagrams: readonly Datagram[]
  /** The text of the answer, without the headers of its packets; null: no answer came. */
  readonly answer: string | null
}

/** The conversations of a recording, by the connection ids of the client. Null for datagrams without a header. */
export function conversationsOf(datagrams: readonly Datagram[]): Conversation[] | null {
  const groups: Datagram[][] = []
  let id = ''
  for (const datagram of datagrams) {
    const { from, octets } = datagram
    if ((octets[0] ?? 0) > 31 || (octets[0] ?? 0) < 3) return null
    const own = octets.toString('latin1', 1, 3)
    if (from === 'C' && own !== id) {
      groups.push([])
      id = own
    }
    groups.at(-1)?.push(datagram)
  }
  return groups.map((group) => conversationOf(group))
}

function conversationOf(datagrams: readonly Datagram[]): Conversation {
  const first = datagrams[0]?.octets ?? Buffer.alloc(3)
  const answer = textOf(datagrams.filter(({ from }) => from === 'S'))
  const request = textOf(datagrams.filter(({ from }) => from === 'C')) ?? ''
  return { id: first.toString('latin1', 1, 3), request, datagrams, answer }
}

/** The text of a message; packets that were sent again count once. */
function textOf(datagrams: readonly Datagram[]): string | null {
  const pieces = new Map<number, string>()
  for (const { octets } of datagrams) {
    const number = numberOf(octets)
    if (number > 0) pieces.set(number, octets.toString('latin1', octets[0]))
  }
  return pieces.size === 0
    ? null
    : [...pieces]
        .sort(([one], [other]) => one - other)
        .map(([, text]) => text)
        .join('')
}

/** The number of a packet; 0: it is an acknowledgement or a cancellation. */
export function numberOf(octets: Buffer): number {
  return (octets[0] ?? 0) >= 5 ? octets.readUInt16BE(3) : 1
}

/** The last packet up to which the sender has received all. */
export function throughOf(octets: Buffer): number {
  return (octets[0] ?? 0) >= 9 ? octets.readUInt16BE(7) : 0
}
