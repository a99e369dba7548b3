import { connect } from 'node:net'

/** Longer than any local server takes. */
const replyTimeout = 5000

/** TELNET commands: IAC, a verb, and where it is WILL, WONT, DO or DONT an option (RFC 854). */
const telnetCommands = /\xFF(?:[\xFB-\xFE][\s\S]|[\s\S])/g

/** The first line that a telnet server says to somebody who presses Return, its option negotiation left out. */
export async function greetingOf(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, timeout: replyTimeout })
  socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} said nothing for ${replyTimeout / 1000} s`)))
  socket.write('\r\n')
  let said = ''
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      said += chunk.toString('latin1')
      const line = /([^\r\n]+)[\r\n]/.exec(said.replace(telnetCommands, ''))?.[1]
      if (line !== undefined) return line
    }
    return '(nothing)'
  } finally {
    socket.destroy()
  }
}
