import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface FormServer extends AsyncDisposable {
  /** The URL of the item that has the form. */
  readonly url: string
  /** The requests, one octet a character, each with all that followed its line. */
  readonly received: readonly string[]
}

/** A Gopher+ server of one item, which asks these questions first (Gopher+ 2.8) and thanks for the answers. */
export async function formServer(questions: readonly string[]): Promise<FormServer> {
  const received: string[] = []
  const ask = questions.map((question) => ` ${question}\r\n`).join('')
  const attributes = `+-1\r\n+INFO: 0Form\t/form\t127.0.0.1\t70\t?\r\n+VIEWS:\r\n text/plain: <1k>\r\n+ASK:\r\n${ask}.\r\n`
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
      if (!isWhole(text)) return
      received.push(text)
      socket.end(/^[^\r]*\t!/.test(text) ? attributes : '+-1\r\nThank you.\r\n.\r\n')
    })
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `gopher://127.0.0.1:${port}/0/form%09%09?`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

/** A line; behind the data flag a block as well, up to a dot or of a told length (Gopher+ 2.4). */
function isWhole(text: string): boolean {
  const [line = '', flag] = /^[^\n]*?(\t1)?\r\n/.exec(text) ?? []
  if (line === '' || flag === undefined) return line !== ''
  const block = text.slice(line.length)
  const [head, length] = /^\+(-1|\d+)\r\n/.exec(block) ?? []
  if (head === undefined) return false
  return length === '-1' ? block.endsWith('\r\n.\r\n') : block.length - head.length >= Number(length)
}
