// node bare-ftp.mjs [--step] URL...: anonymous files of one directory, by nothing but sockets, thrown away. It is the
// floor for latency and the ceiling for throughput: no URL is checked, no reply but the port is looked at, no deadline
// is kept.
import { once } from 'node:events'
import { connect } from 'node:net'

const step = process.argv[2] === '--step'
const urls = process.argv.slice(step ? 3 : 2).map((url) => new URL(url))
const { hostname, port } = urls[0]
const [, ...directories] = urls[0].pathname.split('/').slice(0, -1)
const names = urls.map((url) => url.pathname.split('/').at(-1))
// One buffer for all that arrives on data connections: Node allocates no memory, and nothing is copied.
const octets = Buffer.allocUnsafe(2 ** 18)

const control = connect({ host: hostname, port, noDelay: true })
const replies = readReplies()
const reply = async () => (await replies.next()).value

await expect('220')
const flight = [
  'USER anonymous',
  'PASS bench@',
  ...directories.map((directory) => `CWD ${directory}`),
  'TYPE I',
  'EPSV',
]
send(...flight)
for (let left = flight.length - 1; left > 0; left--) await reply()
let passive = await expect('229')
for (const [at, name] of names.entries()) {
  const isLast = at === names.length - 1
  // RETR leaves while the data connection opens; the EPSV of the next file rides behind it, where the server takes
  // that.
  send(`RETR ${name}`, ...(isLast || step ? [] : ['EPSV']))
  const received = receive(passive)
  await expect('1')
  await expect('226')
  await received
  if (isLast) break
  if (step) send('EPSV')
  passive = await expect('229')
}
control.destroy()

function send(...commands) {
  control.write(commands.map((command) => `${command}\r\n`).join(''))
}

async function expect(code) {
  const line = await reply()
  if (!line?.startsWith(code)) throw new Error(`expected ${code}, got ${line}`)
  return line
}

/** The last line of every reply (RFC 959 4.2): "220 ready", but not "220-Welcome". */
async function* readReplies() {
  let rest = ''
  for await (const chunk of control.setEncoding('latin1')) {
    const lines = (rest + chunk).split('\r\n')
    rest = lines.pop()
    yield* lines.filter((line) => /^\d{3} /.test(line))
  }
}

/** All of one data connection; `229 Entering Extended Passive Mode (|||port|)`. */
async function receive(line) {
  const data = connect({
    host: hostname,
    port: Number(/\|(\d+)\|\)/.exec(line)[1]),
    onread: { buffer: octets, callback: () => true },
  })
  await once(data, 'close')
}
