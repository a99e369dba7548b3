// fork('latency-proxy.mjs', [PORT, ROUND_TRIP, HANDSHAKE, PROTOCOL]): a server on loopback as if it were ROUND_TRIP
// milliseconds away. PROTOCOL is ftp, whose data connections go through it too, or any other that has none.
//
// Sends { port }, where it listens. Asked by any message, it tells what it has seen since it was asked last, see below.
// Ends with its parent.
//
// The cost of opening a TCP connection, in round trips from the client's SYN:
//   0.5  the SYN is at the server, SYN+ACK leaves
//   1.0  SYN+ACK is at the client: connect() returns, its ACK and its first octets leave
//   1.5  they are at the server: accept() returns, and the server may speak
//   2.0  the server's first octets, a greeting or a file, are at the client
// HANDSHAKE 1.5 is just that. With HANDSHAKE 1 what the client's kernel answers takes no time on its way back: the
// server has the connection after 1.0, and speaks; and when the client has the end of a file, the server has the
// client's end of that connection, for which proftpd waits before it says 226. In both nothing that the client itself
// says is at the server before 1.5.
//
// A program cannot make connect() itself take its round trip: the kernel answers the SYN at once. A client that
// waits for the data connection before saying anything else is shown one round trip too fast a file; who sends RETR
// meanwhile is not. It does not delay the acknowledgements either. Servers that leave Nagle's algorithm on hold the 226
// back until the 150 is acknowledged: here for the kernel's 40 ms, on a real line for a round trip. And vsftpd says 226
// once the end of the file is acknowledged.
//
// Measured once on a real line, two network namespaces joined by TUN devices with 50 ms each way: bare-ftp.mjs had a
// file three directories deep after 5.1 round trips (proftpd 5.5, inetutils-ftpd 6.6), and its 226 after 5.1
// (pyftpdlib, pure-ftpd), 6.2 (vsftpd), 6.6 (proftpd) and 8.1 (inetutils-ftpd). The 226 came to curl after 12.3 to
// 14.5, wget 12.1 to 13.6, aria2c 16.3 to 17.2, lftp 14.1 to 14.6 (proftpd 19.8, by TLS).
import { connect, createServer } from 'node:net'
import { DelayLine, now } from './delay-line.mjs'

const host = '127.0.0.1'
const [upstream, roundTrip, roundTripsOfHandshake] = process.argv.slice(2, 5).map(Number)
const isFtp = process.argv[5] === 'ftp'
const oneWay = roundTrip / 2
const handshake = roundTripsOfHandshake * roundTrip
const answersAreFree = roundTripsOfHandshake === 1

/**
 * `accepted`: when the first connection came; `whole`: when the end of a file, or a 226, was handed to the client
 * last, where there are no data connections any octets; `connections`: how many came.
 */
const nothing = { accepted: null, whole: null, connections: 0 }
let seen = { ...nothing }

process.on('message', () => {
  process.send(seen)
  seen = { ...nothing }
})
process.once('disconnect', () => process.exit())

const front = listen((client) => {
  seen.connections++
  carry(client, upstream, isFtp ? passivePorts(client) : octetsCame)
})
front.once('listening', () => process.send({ port: front.address().port }))

function listen(onConnection) {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    seen.accepted ??= now()
    onConnection(client)
  })
  return listener.listen(0, host)
}

/** Joins a client to the server. `convey` is told what the server sent, and gives what then is handed to the client. */
function carry(client, port, convey, onEnd) {
  const accepted = now()
  const toServer = new DelayLine()
  let server
  // First in the line: what the client says comes after it.
  toServer.put(accepted + handshake, () => {
    server = connect({ host, port, allowHalfOpen: true, noDelay: true })
    forward(server, () => client, new DelayLine(), accepted, convey, onEnd)
  })
  forward(client, () => server, toServer, accepted + roundTrip)
}

/** The octets that one side sends from `open` on, and its end, reach the other half a round trip later. */
function forward(from, to, line, open, convey = (octets) => () => octets, onEnd = () => {}) {
  const put = (action) => line.put(Math.max(now(), open) + oneWay, action)
  from.setEncoding('latin1')
  from.on('data', (octets) => {
    const conveyed = convey(octets)
    put(() => to().write(conveyed(), 'latin1'))
  })
  from.once('end', () => {
    put(() => {
      to().end()
      onEnd(from)
    })
  })
  from.on('error', () => put(() => to().destroy()))
}

function octetsCame(octets) {
  return () => {
    fileEnded()
    return octets
  }
}

/** The end of a data connection, the 226 on the control connection, or what else is waited for, is with the client. */
function fileEnded() {
  seen.whole = now()
}

function dataEnded(server) {
  fileEnded()
  if (answersAreFree) server.end()
}

/**
 * For a control connection: opens a port of its own for each that a reply names, and names that one instead:
 *   229 Entering Extended Passive Mode (|||36492|)        RFC 2428
 *   227 Entering Passive Mode (127,0,0,1,128,203).        RFC 959
 */
function passivePorts(client) {
  const named = /^(229 .*\|)(\d+)(?=\|)|^(227 .*\d,)(\d+),(\d+)(?=\))/gm
  const unused = new Set()
  client.once('close', () => {
    for (const listener of unused) listener.close()
  })
  const open = (port) => {
    const listener = listen((data) => {
      unused.delete(listener.close())
      carry(data, port, undefined, dataEnded)
    })
    unused.add(listener)
    return listener
  }
  let rest = ''
  return (octets) => {
    const [, lines, begun] = /^(.*\n)?(.*)$/s.exec(rest + octets)
    rest = begun
    if (lines === undefined) return () => ''
    const listeners = Array.from(lines.matchAll(named), ([, , port, , high, low]) =>
      open(Number(port ?? high * 256 + +low)),
    )
    // Done later than all of this, when the ports are known.
    return () => {
      if (/^226 /m.test(lines)) fileEnded()
      return lines.replace(named, (_, before229, _port, before227) => {
        const { port } = listeners.shift().address()
        return before229 ? `${before229}${port}` : `${before227}${port >> 8},${port & 255}`
      })
    }
  }
}
