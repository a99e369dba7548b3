import { type AddressInfo, createServer, type Socket } from 'node:net'

/** The answer of a scripted server to a command: raw octets; undefined: as a good server would. */
export type NewsScript = (peer: NewsPeer, line: string) => string | undefined | Promise<string | undefined>

/** The server's side of one connection, in the hands of a test. */
export interface NewsPeer {
  readonly socket: Socket
  /** 0 for the first connection to the server, 1 for the next. */
  readonly index: number
  /** The octets that have come so far, answered or not. */
  readonly commands: readonly string[]
}

export interface ScriptedNews extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly peers: readonly NewsPeer[]
  /** Resolves when every connection of the client's is closed. */
  closed(): Promise<void>
}

/** A news server that follows a script. Commands of one connection are answered one by one; "" says nothing. */
export async function scriptedNews(
  script: NewsScript,
  greeting: string | ((peer: NewsPeer) => string) = '200 hello\r\n',
): Promise<ScriptedNews> {
  const peers: NewsPeer[] = []
  const closings: Promise<void>[] = []
  const server = createServer({ noDelay: true }, (socket) => {
    const commands: string[] = []
    const peer: NewsPeer = { socket, index: peers.length, commands }
    peers.push(peer)
    socket.on('error', () => {})
    closings.push(new Promise((resolve) => socket.once('close', () => resolve())))
    let turn = Promise.resolve()
    const answer = async (line: string): Promise<void> => {
      const octets = (await script(peer, line)) ?? goodAnswer(line)
      if (octets !== '' && !socket.destroyed) socket.write(octets, 'latin1')
    }
    let held = ''
    socket.on('data', (chunk: Buffer) => {
      const lines = (held + chunk.toString('latin1')).split('\r\n')
      held = lines.pop() ?? ''
      commands.push(...lines)
      for (const line of lines) turn = turn.then(() => answer(line))
    })
    const words = typeof greeting === 'string' ? greeting : greeting(peer)
    if (words !== '') socket.write(words)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `nntp://127.0.0.1:${port}/`,
    port,
    peers,
    closed: async () => void (await Promise.all(closings)),
    async [Symbol.asyncDispose]() {
      for (const { socket } of peers) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Articles 1 to 9 of any group. */
function goodAnswer(line: string): string {
  const [verb = '', argument = ''] = line.split(' ')
  switch (verb.toUpperCase()) {
    case 'GROUP':
      return `211 9 1 9 ${argument}\r\n`
    case 'ARTICLE':
      return Number(argument) > 9
        ? '423 none\r\n'
        : `220 ${articleNumber(argument)} article\r\n${article(argument)}.\r\n`
    case 'HEAD':
      return `221 ${articleNumber(argument)} head\r\nSubject: ${argument}\r\n.\r\n`
    case 'OVER':
      return `224 overview\r\n${overviewLine(argument)}.\r\n`
    case 'LIST':
      return '215 list\r\na.b 9 1 y\r\n.\r\n'
    case 'QUIT':
      return '205 bye\r\n'
    default:
      return '500 what\r\n'
  }
}

function articleNumber(argument: string): string {
  return argument.startsWith('<') ? `0 ${argument}` : `${argument} <${argument}@x>`
}

/** The article of the good server under a number or message-id. */
export function article(argument: string): string {
  return `Subject: ${argument}\r\n\r\nbody of ${argument}\r\n`
}

function overviewLine(range: string): string {
  const number = range.split('-').at(-1)
  return `${number}\tSubject\tfrom\t3 Feb 2001 04:05:06 GMT\t<${number}@x>\t\t10\t1\r\n`
}
