/** Plays real servers' dialogues (test/transcripts) back to a client, in whatever segments a test wants. */
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** How the server's octets are cut: one segment, one octet a segment, or a cut between each CR and LF. */
export type Cut = 'whole' | 'bytes' | 'split-crlf'
export const cuts: readonly Cut[] = ['whole', 'bytes', 'split-crlf']

interface Turn {
  readonly from: 'client' | 'server'
  readonly octets: string
}

export interface TranscriptServer extends AsyncDisposable {
  readonly port: number
  /** What clients sent other than the dialogue has it; empty if all went as written. */
  readonly strayed: readonly string[]
  /** Settles once no connection is open. */
  closed(): Promise<void>
}

/** A file below test/transcripts. */
export function readTranscript(name: string): Promise<string> {
  return readFile(new URL(`../../transcripts/${name}`, import.meta.url), 'utf8')
}

/**
 * Each connection gets one of the dialogues (blank lines part them): the one whose first client line comes, or the first one
 * where the server speaks first.
 */
export async function playTranscript(text: string, cut: Cut = 'whole'): Promise<TranscriptServer> {
  const dialogues = parseTranscript(text)
  const strayed: string[] = []
  const sockets = new Set<Socket>()
  let settle: (() => void) | undefined
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) settle?.()
    })
    socket.on('error', () => {})
    void play(socket, dialogues, cut, strayed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    strayed,
    closed: () =>
      new Promise((resolve) => {
        if (sockets.size === 0) resolve()
        else settle = resolve
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** `C:` and `S:` lines end in CRLF, but for `<LF>`, `<no EOL>` and `<raw>`; `\xNN` is an octet; `#` and `--` are remarks. */
function parseTranscript(text: string): readonly (readonly Turn[])[] {
  return text
    .split(/\n{2,}/)
    .map((part) => part.split('\n').flatMap(parseTurn))
    .filter((turns) => turns.length > 0)
}

function parseTurn(line: string): Turn[] {
  const [, side, content = '', end] = /^([CS]): ?(.*?)(<LF>|<no EOL>|<raw>)?$/.exec(line) ?? []
  if (side === undefined) return []
  const octets = content.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const lineEnd = end === undefined ? '\r\n' : end === '<LF>' ? '\n' : ''
  return [{ from: side === 'C' ? 'client' : 'server', octets: octets + lineEnd }]
}

async function play(
  socket: Socket,
  dialogues: readonly (readonly Turn[])[],
  cut: Cut,
  strayed: string[],
): Promise<void> {
  const input = socket.iterator({ destroyOnReturn: false })
  let heard = ''
  const hear = async (enough: () => boolean): Promise<boolean> => {
    while (!enough()) {
      const { done, value } = await input.next().catch(() => ({ done: true, value: undefined }))
      if (done) return false
      heard += (value as Buffer).toString('latin1')
    }
    return true
  }
  let dialogue = dialogues[0]
  if (dialogue?.[0]?.from === 'client') {
    await hear(() => heard.includes('\n'))
    dialogue = dialogues.find(([first]) => first !== undefined && heard.startsWith(first.octets))
    if (dialogue === undefined) strayed.push(heard)
  }
  for (const { from, octets } of dialogue ?? []) {
    if (from === 'server') await send(socket, octets, cut)
    else if (await hear(() => heard.length >= octets.length)) {
      if (!heard.startsWith(octets)) strayed.push(heard)
      heard = heard.slice(octets.length)
    }
  }
  socket.end()
}

async function send(socket: Socket, octets: string, cut: Cut): Promise<void> {
  const pieces = cut === 'whole' ? [octets] : cut === 'bytes' ? octets.split('') : octets.split(/(?<=\r)/)
  for (const piece of pieces) {
    if (socket.destroyed) return
    await new Promise((resolve) => socket.write(piece, 'latin1', resolve))
    // A turn of the event loop lets the client read before the next piece is there.
    if (cut !== 'whole') await new Promise((resolve) => setImmediate(resolve))
  }
}
