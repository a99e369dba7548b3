import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { domainToASCII, pathToFileURL } from 'node:url'
import { explain, formatExplanation, octetsToText, printable, RetrievalError, shellCommand } from '@retriever/core'
import { type Client, createClient, type Handoff, Representation } from '@retriever/fetchers'
import { startServers, type TestServers } from '@retriever/servers'
import { exitCodeOf } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { sentence } from '../terminal/report.ts'

/**
 * `retrieve demo`: starts local servers on free ports and retrieves from each; two of the retrievals must fail. The
 * exit code is 0 if every result is the expected one.
 */
export async function demo({ output, signal }: Run): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'retrieve-demo-'))
  try {
    await using servers = await startServers()
    const file = join(folder, 'hello.txt')
    await writeFile(file, 'A file of this machine.\n')
    const defaults = { newsServer: `127.0.0.1:${servers.nntp.port}` }
    await using client = createClient({ defaults })
    const cases = demoCases(servers, pathToFileURL(file).href)
    let wrong = 0
    for (const demoCase of cases) {
      signal.throwIfAborted()
      await output.write(formatExplanation(explain(demoCase.url, { defaults, domainToAscii: domainToASCII })))
      const outcome = await outcomeOf(demoCase.url, client)
      await output.write(`${format(outcome)}\n`)
      if (!isExpected(demoCase, outcome)) {
        wrong++
        output.note(
          `retrieve: ${demoCase.url}: expected exit code ${demoCase.exit} and ${JSON.stringify(demoCase.expected)}.`,
        )
      }
    }
    const sum = wrong === 0 ? 'All went as it should' : `${wrong} of ${cases.length} went wrong`
    await output.write(`${sum}. Try it: retrieve serve, and in another terminal: retrieve URL\n${inClone}`)
    return wrong === 0 ? 0 : 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `npm start` runs the demonstration before the command is installed. */
const inClone = 'In the clone, npm -s start -- stands for retrieve: npm -s start -- serve\n'

/** The lines of an outcome, in the columns of an explanation. */
function format({ lines }: ShownOutcome): string {
  return lines
    .map((line, index) => `  ${(index === 0 ? 'came' : '').padEnd(7)}  ${printable(line)}`.trimEnd().concat('\n'))
    .join('')
}

function isExpected({ expected, exit }: DemoCase, outcome: ShownOutcome): boolean {
  return outcome.exit === exit && outcome.lines.some((line) => line.includes(expected))
}

/** One URL to show, and the expected result. */
interface DemoCase {
  readonly url: string
  /** A text that the shown result must contain. */
  readonly expected: string
  /** The expected exit code of `retrieve URL`. */
  readonly exit: number
}

/** The content of /pub/a.bin: each octet in turn, sixteen times. */
const everyOctet16Times = Uint8Array.from({ length: 4096 }, (_, index) => index % 256)

/** One URL of each classic scheme, then three that are not retrieved. */
function demoCases(servers: TestServers, fileUrl: string): DemoCase[] {
  const { ftp, http, gopher, nntp, telnet } = servers
  const sha256 = createHash('sha256').update(everyOctet16Times).digest('hex')
  return [
    { url: `${ftp.url}pub/a.bin`, expected: `4096 octets, SHA-256 ${sha256.slice(0, 16)}`, exit: 0 },
    { url: `${http.url}readme.txt`, expected: "Retriever's test server.", exit: 0 },
    { url: `${gopher.url}1/pub`, expected: 'dots.txt', exit: 0 },
    { url: 'news:two@example.net', expected: 'Subject: Re: A first test', exit: 0 },
    { url: `${nntp.url}retriever.test`, expected: 'A first test', exit: 0 },
    { url: fileUrl, expected: 'A file of this machine.', exit: 0 },
    { url: telnet.url, expected: 'Welcome to the test server.', exit: 1 },
    { url: `${ftp.url}pub/missing.txt`, expected: '550', exit: 78 },
    { url: 'gopher://127.0.0.1:25/x', expected: '--allow-port 25', exit: 9 },
  ]
}

/** The result of one URL: lines for people, and the exit code of `retrieve URL`. */
interface ShownOutcome {
  readonly lines: readonly string[]
  readonly exit: number
}

const shownLines = 5

async function outcomeOf(url: string, client: Client): Promise<ShownOutcome> {
  try {
    const opened = await client.open(url)
    if (!(opened instanceof Representation)) return { lines: await ofHandoff(opened), exit: exitCodeOf(handoff) }
    await using representation = opened
    return { lines: await ofRepresentation(representation), exit: 0 }
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return { lines: [sentence(error), `exit code ${exitCodeOf(error)}`], exit: exitCodeOf(error) }
  }
}

const handoff = new RetrievalError('handoff', 'a service', { phase: 'resolve' })

async function ofHandoff({ service, host, port, program, args }: Handoff): Promise<string[]> {
  const use = `a service (${service}), not data; to use it: ${shellCommand([program, ...args])}`
  return host === null || port === null ? [use] : [use, `the server is there and says: ${await greetingOf(host, port)}`]
}

async function ofRepresentation(representation: Representation): Promise<string[]> {
  if (representation.kind === 'listing') return await ofListing(representation)
  const octets = await representation.bytes()
  if (octets.includes(0)) {
    const sha256 = createHash('sha256').update(octets).digest('hex').slice(0, 16)
    return [`${octets.length} octets, SHA-256 ${sha256}...`]
  }
  return firstOf(octetsToText(Buffer.from(octets).toString('latin1')).trimEnd().split(/\r?\n/), 'lines')
}

async function ofListing(listing: Representation): Promise<string[]> {
  const lines: string[] = []
  for await (const { kind, name } of listing.entries()) lines.push(`${kind.padEnd(9)}  ${name}`)
  return firstOf(lines, 'entries')
}

function firstOf(lines: readonly string[], what: string): string[] {
  if (lines.length <= shownLines) return [...lines]
  return [...lines.slice(0, shownLines), `... ${lines.length} ${what} in all`]
}

/** The time in milliseconds for a reply; local servers are faster. */
const replyTimeout = 5000

/** TELNET commands: IAC, a verb, and for WILL, WONT, DO and DONT an option (RFC 854). */
const telnetCommands = /\xFF(?:[\xFB-\xFE][\s\S]|[\s\S])/g

/** The first line that a telnet server sends to a client that presses Return, without option negotiation. */
async function greetingOf(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, timeout: replyTimeout })
  socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} said nothing for ${replyTimeout / 1000} s`)))
  socket.write('\r\n')
  let said = ''
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      said += chunk.toString('latin1')
      const lines = said.replace(telnetCommands, '').split(/[\r\n]/)
      const line = lines.slice(0, -1).find((each) => each !== '')
      if (line !== undefined) return line
    }
    return '(nothing)'
  } finally {
    socket.destroy()
  }
}
