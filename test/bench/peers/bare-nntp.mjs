// node bare-nntp.mjs PORT GROUP COUNT [--step]: the overview of a newsgroup and its articles 1 to COUNT, by nothing
// but a socket, thrown away. It is the floor: no reply is looked at, and the numbers are known before. With --step it
// is what most clients do instead: one command after the reply to the one before.
import { connect } from 'node:net'

const [, , port, group, count, step] = process.argv
const commands = [
  `GROUP ${group}`,
  `OVER 1-${count}`,
  ...Array.from({ length: Number(count) }, (_, i) => `ARTICLE ${i + 1}`),
]
const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true })
const replies = readReplies()

await replies.next()
if (step === undefined) send(...commands)
for (const command of commands) {
  if (step !== undefined) send(command)
  const { value: reply } = await replies.next()
  if (!/^2/.test(reply)) throw new Error(`${command}: ${reply}`)
}
socket.destroy()

function send(...lines) {
  socket.write(lines.map((line) => `${line}\r\n`).join(''))
}

/**
 * The first line of each reply, once the lines that belong to it have come: those of 220 and 224 end in a dot (RFC
 * 3977 3.1.1).
 */
async function* readReplies() {
  let rest = ''
  let open
  for await (const chunk of socket.setEncoding('latin1')) {
    const lines = (rest + chunk).split('\r\n')
    rest = lines.pop()
    for (const line of lines) {
      if (open === undefined && /^22[04] /.test(line)) open = line
      else if (open === undefined) yield line
      else if (line === '.') {
        yield open
        open = undefined
      }
    }
  }
}
