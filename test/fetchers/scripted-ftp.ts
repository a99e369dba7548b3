import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** What a scripted server answers to a command: raw octets, or what is to be done. Undefined: as a good server would. */
export type Script = Readonly<Record<string, string | ((peer: FtpPeer, line: string) => void | Promise<void>)>>

/** The server's side of one control connection, in the hands of a test. */
export interface FtpPeer {
  say(octets: string): void
  /** Resolves with the client's data connection, once it has come. */
  data(): Promise<Socket>
  readonly control: Socket
  readonly dataPort: number
}

export interface ScriptedFtp extends AsyncDisposable {
  readonly url: string
  /** The port of the data listener, which EPSV and PASV name unless the script does. */
  readonly dataPort: number
  readonly received: readonly string[]
  /** Resolves when every connection of the client's is closed. */
  closed(): Promise<void>
}

/** A server that does what the embedded one would not: it follows a script, of which `greeting` is the first line. */
export async function scriptedFtp(script: Script): Promise<ScriptedFtp> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const closings: Promise<void>[] = []
  const arrivals: Socket[] = []
  const waiting: ((socket: Socket) => void)[] = []
  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {})
    closings.push(new Promise((resolve) => socket.once('close', () => resolve())))
  }
  const dataServer = await listening((socket) => {
    track(socket)
    socket.resume()
    const next = waiting.shift()
    if (next === undefined) arrivals.push(socket)
    else next(socket)
  })
  const dataPort = portOf(dataServer)
  const standard: Script = {
    greeting: '220 ready\r\n',
    USER: '331 password\r\n',
    PASS: '230 in\r\n',
    CWD: '250 there\r\n',
    TYPE: '200 type\r\n',
    EPSV: `229 passive (|||${dataPort}|)\r\n`,
    PASV: `227 passive (127,0,0,1,${dataPort >> 8},${dataPort & 255})\r\n`,
    QUIT: '221 bye\r\n',
    RETR: sending('Hello, world.\n'),
    ...script,
  }
  const controlServer = await listening((control) => {
    track(control)
    const peer: FtpPeer = {
      control,
      dataPort,
      say: (octets) => void control.write(octets, 'latin1'),
      data: () => {
        const arrived = arrivals.shift()
        return arrived === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(arrived)
      },
    }
    control.setNoDelay()
    const act = (verb: string, line: string): void => {
      // A new port: the client has given up the connection that it made to the one before.
      if (verb === 'EPSV' || verb === 'PASV') arrivals.length = waiting.length = 0
      const answer = standard[verb] ?? '502 not known\r\n'
      if (typeof answer === 'string') peer.say(answer)
      else void answer(peer, line)
    }
    let held = ''
    control.on('data', (chunk: Buffer) => {
      const lines = (held + chunk.toString('latin1')).split('\r\n')
      held = lines.pop() ?? ''
      for (const line of lines) {
        received.push(line)
        act(line.split(' ')[0] ?? '', line)
      }
    })
    act('greeting', '')
  })
  return {
    url: `ftp://127.0.0.1:${portOf(controlServer)}/`,
    dataPort,
    received,
    closed: async () => void (await Promise.all(closings)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([controlServer, dataServer].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** A whole transfer: 150, the octets, their end, 226. */
export function sending(octets: string, first = '150 here it comes\r\n', last = '226 done\r\n') {
  return async (peer: FtpPeer): Promise<void> => {
    const data = await peer.data()
    peer.say(first)
    data.end(octets, 'latin1', () => peer.say(last))
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
