const IAC = 0xff

/**
 * A command line without its Telnet commands: the control connection is a Telnet NVT (RFC 959, 5.3). FF FF is the octet
 * FF, FF FB..FE take an option octet with them, any other FF takes one octet (`FF F4 FF F2` before ABOR).
 */
export function withoutTelnet(line: string): string {
  let text = ''
  for (let at = 0; at < line.length; at++) {
    if (line.charCodeAt(at) !== IAC) {
      text += line[at]
      continue
    }
    const command = line.charCodeAt(++at)
    if (command === IAC) text += '\xff'
    else if (command >= 0xfb) at++
  }
  return text
}

/** A name as a reply contains it: FF is doubled. */
export function withTelnet(text: string): string {
  return text.replaceAll('\xff', '\xff\xff')
}
