import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/**
 * The answer of a scripted server to a command: raw octets or an action. Undefined: as a good server would.
 * The next command of a connection waits for a promise.
 */
export type Script = Readonly<Record<string, string | ((peer: FtpPeer, line: string) => void | Promise<void>)>>

/** The server's side of one control connection, in the hands of a test. */
export interface FtpPeer {
  say(octets: string): void
  /** Resolves with the client's data connection, once it has come. */
  data(): Promise<Socket>
  readonly control: Socket
  /** Resolves when the control connection is closed. */
  readonly closed: Promise<void>
  readonly dataPort: number
  /** 0 for the first control connection to the server, 1 for the next. */
  readonly index: number
}

export interface ScriptedFtp extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The port of the data listener, which EPSV and PASV name unless the script does. */
  readonly dataPort: number
  readonly received: readonly string[]
  /** The octets that came, piece by piece: commands that were sent together stand together. */
  readonly segments: readonly string[]
  /** The control connections so far. */
  readonly peers: readonly FtpPeer[]
  /** Resolves when every connection of the client's is closed. */
  closed(): Promise<void>
}

/** A server that does what the embedded one would not: it follows a script, of which `greeting` is the first line. */
export async function scriptedFtp(script: Script): Promise<ScriptedFtp> {
  const received: string[] = []
  const segments: string[] = []
  const peers: FtpPeer[] = []
  const sockets = new Set<Socket>()
  const closings: Promise<void>[] = []
  const track = (socket: Socket): Promise<void> => {
    sockets.add(socket)
    socket.on('error', () => {})
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    closings.push(closed)
    return closed
  }
  const arrivals = new Arrivals()
  const dataServer = await listening((socket) => {
    void track(socket)
    socket.resume()
    arrivals.push(socket)
  })
  const dataPort = portOf(dataServer)
  const controlServer = await listening((control) => {
    const closed = track(control)
    control.setNoDelay()
    const peer: FtpPeer = {
      control,
      closed,
      dataPort,
      index: peers.length,
      say: (octets) => void control.write(octets, 'latin1'),
      data: () => arrivals.next(control),
    }
    peers.push(peer)
    const answers: Script = { ...goodAnswers(dataPort), ...script }
    const act = (line: string, verb = line.split(' ')[0] ?? ''): void | Promise<void> => {
      // A new port: the client has given up the connection that it made to the one before.
      if (verb === 'EPSV' || verb === 'PASV') arrivals.forget()
      const answer = answers[verb] ?? '502 not known\r\n'
      return typeof answer === 'string' ? peer.say(answer) : answer(peer, line)
    }
    const inTurn = oneByOne(act)
    let held = ''
    control.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      segments.push(text)
      const lines = (held + text).split('\r\n')
      held = lines.pop() ?? ''
      received.push(...lines)
      inTurn(lines)
    })
    void act('', 'greeting')
  })
  const port = portOf(controlServer)
  return {
    url: `ftp://127.0.0.1:${port}/`,
    port,
    dataPort,
    received,
    segments,
    peers,
    closed: async () => void (await Promise.all(closings)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([controlServer, dataServer].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** No SIZE and no MDTM: they would have to fit what the script has RETR send. */
function goodAnswers(dataPort: number): Script {
  return {
    greeting: '220 ready\r\n',
    USER: '331 password\r\n',
    PASS: '230 in\r\n',
    CWD: '250 there\r\n',
    PWD: '257 "/" is it\r\n',
    TYPE: '200 type\r\n',
    EPSV: `229 passive (|||${dataPort}|)\r\n`,
    PASV: `227 passive (127,0,0,1,${dataPort >> 8},${dataPort & 255})\r\n`,
    QUIT: '221 bye\r\n',
    RETR: sending('Hello, world.\n'),
  }
}

/** A whole transfer: 150, the octets, their end, 226. */
export function sending(octets: string | Uint8Array, first = '150 here it comes\r\n', last = '226 done\r\n') {
  return async (peer: FtpPeer): Promise<void> => {
    const data = await peer.data()
    peer.say(first)
    await new Promise<void>((resolve) => data.end(Buffer.from(octets as string, 'latin1'), () => resolve()))
    peer.say(last)
  }
}

/**
 * A good server, but once its first connection has served a file, whatever is asked there next is answered by what
 * `die` does.
 */
export function mortal(die: (peer: FtpPeer) => void): Script {
  let served = false
  const living = (answer: string) => (peer: FtpPeer) => {
    if (peer.index === 0 && served) die(peer)
    else peer.say(answer.replace('PORT', String(peer.dataPort)))
  }
  return {
    async RETR(peer) {
      await sending('Hello, world.\n')(peer)
      served = true
    },
    CWD: living('250 there\r\n'),
    EPSV: living('229 passive (|||PORT|)\r\n'),
    MDTM: living('213 20010203040506\r\n'),
    NOOP: living('200 here\r\n'),
    PWD: living('257 "/"\r\n'),
    SIZE: living('213 14\r\n'),
    TYPE: living('200 type\r\n'),
  }
}

/** Says the same again and again, for as long as the client listens; resolves with the octets that were said. */
export function endless(socket: Socket, octets: string): Promise<number> {
  const chunk = Buffer.from(octets, 'latin1')
  return new Promise((resolve) => {
    const more = (): void => {
      if (socket.destroyed) return
      socket.write(chunk, () => setImmediate(more))
    }
    socket.once('close', () => resolve(socket.bytesWritten))
    more()
  })
}

/** Data connections that have come, and those who wait for one. */
class Arrivals {
  readonly #arrived: Socket[] = []
  readonly #waiting: ((socket: Socket) => void)[] = []

  push(socket: Socket): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#arrived.push(socket)
    else next(socket)
  }

  /** For the client of this control connection; once that is gone, nobody waits. */
  next(control: Socket): Promise<Socket> {
    const arrived = this.#arrived.shift()
    if (arrived !== undefined) return Promise.resolve(arrived)
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      // A session asks once for each of its transfers.
      control.setMaxListeners(0)
      control.once('close', () => {
        const at = this.#waiting.indexOf(resolve)
        if (at !== -1) this.#waiting.splice(at, 1)
      })
    })
  }

  forget(): void {
    this.#arrived.length = 0
  }
}

/** Acts on lines in their order, each once the one before is done; at once where that was no promise. */
function oneByOne(act: (line: string) => void | Promise<void>): (lines: readonly string[]) => void {
  const waiting: string[] = []
  let busy = false
  const run = async (): Promise<void> => {
    busy = true
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      const done = act(line)
      if (done !== undefined) await done
    }
    busy = false
  }
  return (lines) => {
    waiting.push(...lines)
    if (!busy) void run()
  }
}

async function listening(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
