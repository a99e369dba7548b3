const lf = 0x0a
const cr = 0x0d
const blankThenFrom = '\nFrom '

/**
 * The messages of an mbox (RFC 4155): each begins with a line `From SENDER DATE`, after an empty line. Null if the
 * octets do not begin with such a line.
 */
export function messagesOf(octets: Buffer): readonly Buffer[] | null {
  if (octets.toString('latin1', 0, 5) !== 'From ') return null
  const messages: Buffer[] = []
  let start = afterLine(octets, 0)
  for (let at = start; at <= octets.length; ) {
    const found = octets.indexOf(blankThenFrom, at)
    const end = found === -1 ? octets.length : found + 1
    if (found === -1 || isAfterEmptyLine(octets, found)) {
      messages.push(unquoted(octets.subarray(start, end)))
      if (found === -1) break
      start = afterLine(octets, end)
    }
    at = end + 1
  }
  return messages
}

function afterLine(octets: Buffer, from: number): number {
  return octets.indexOf(lf, from) + 1 || octets.length
}

/** Whether the line that ends at this LF is empty. */
function isAfterEmptyLine(octets: Buffer, end: number): boolean {
  const before = octets[end - 1] === cr ? end - 2 : end - 1
  return octets[before] === lf
}

/** Writers put `>` before a line that begins with `From `, or with `>From ` (the form mboxrd). */
function unquoted(message: Buffer): Buffer {
  if (!message.includes('>From ')) return message
  return Buffer.from(message.toString('latin1').replace(/^>(>{0,100}From )/gm, '$1'), 'latin1')
}
