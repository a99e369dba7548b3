import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shellCommand } from '@retriever/core/internal'
import { startServers, type TestServers } from '@retriever/servers'
import { readConfig } from '../config.ts'
import { parseCommandLine } from '../parse.ts'
import type { Run } from '../run.ts'
import { Reporter } from '../terminal/report.ts'
import { explainUrls } from './explain.ts'
import { get } from './get.ts'

/** The image that the demonstration retrieves. It is long enough to break off in the middle. */
const image = Buffer.alloc(8_000_000, 'Retriever. ')

const files = {
  '/hello.txt': { content: 'Hello. This file came over HTTP, from a server of this machine.\n' },
  '/disk.img': { content: image },
}

/**
 * `retrieve demo`: runs three command lines against local servers. One retrieves a file, one continues a transfer that
 * breaks off, and one is refused. The exit code is 0 if all ended as expected.
 */
export async function demo(run: Run): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'retrieve-demo-'))
  try {
    await using servers = await startServers({ files, http: {}, ftp: { faults: { crashAfter: 3_000_000, bodies: 1 } } })
    let wrong = 0
    for (const { title, words, exit, result } of stepsOf(servers, join(folder, 'disk.img'))) {
      run.signal.throwIfAborted()
      await run.output.write(`# ${title}\n$ ${shellCommand(['retrieve', ...words])}\n`)
      const status = await perform(words, run)
      const said = await result(status)
      if (status !== exit || said === null) wrong++
      await run.output.write(`# ${said ?? 'This went wrong.'}\n\n`)
    }
    await run.output.write(`${wrong === 0 ? 'All went as it should' : `${wrong} of 3 went wrong`}. ${next}`)
    return wrong === 0 ? 0 : 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `npm start` runs the demonstration before the command is installed, so the text says how to run the command. */
const next = `Try it: retrieve serve, and in another terminal: retrieve URL
In the clone, npm -s start -- stands for retrieve: npm -s start -- serve
`

/** One line of the command. */
interface Step {
  readonly title: string
  readonly words: readonly string[]
  /** The expected exit status. */
  readonly exit: number
  /** Returns what to say of the result; null if the result is unexpected. */
  result(status: number): Promise<string | null>
}

function stepsOf({ http, ftp }: TestServers<'http' | 'ftp'>, path: string): Step[] {
  return [
    {
      title: 'A file.',
      words: [`${http.url}hello.txt`],
      exit: 0,
      result: async () => 'The body goes to standard output.',
    },
    {
      title: 'The server breaks off after 3 MB, and the transfer goes on.',
      words: ['-o', path, `${ftp.url}disk.img`],
      exit: 0,
      result: async () => {
        const came = await readFile(path).catch(() => null)
        if (came === null || !came.equals(image)) return null
        const sum = createHash('sha256').update(came).digest('hex').slice(0, 16)
        return `The file has ${came.length} octets, the same as on the server (SHA-256 ${sum}...).`
      },
    },
    {
      title: 'A link that would send a line to a mail server.',
      words: ['explain', 'gopher://127.0.0.1:25/x'],
      exit: 9,
      result: async (status) => `Exit status ${status}: nothing was sent.`,
    },
  ]
}

/** Runs a line in this process, without the user's own configuration. */
async function perform(words: readonly string[], run: Run): Promise<number> {
  const line = parseCommandLine(words, {})
  const config = readConfig(line, {}, null)
  const command = line.command === 'explain' ? explainUrls : get
  return await command({ ...run, config, report: new Reporter(run.output, config) })
}
