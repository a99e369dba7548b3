import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { domainToASCII, pathToFileURL } from 'node:url'
import { explain, formatExplanation, printable } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import { type DemoCase, demoCases } from '../demo/demo-cases.ts'
import { outcomeOf, type ShownOutcome } from '../demo/outcome.ts'
import type { Run } from '../main.ts'

/**
 * `retrieve demo`: local servers on free ports, one retrieval of each scheme, and two that fail as they should. The exit code is 0 only
 * where all went as it should.
 */
export async function demo({ output, signal }: Run): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'retrieve-demo-'))
  try {
    await using servers = await startServers()
    const file = join(folder, 'hello.txt')
    await writeFile(file, 'A file of this machine.\n')
    const defaults = { newsServer: `127.0.0.1:${servers.nntp.port}` }
    await using client = createClient({ defaults })
    const shown = demoCases(servers, pathToFileURL(file).href)
    let wrong = 0
    for (const exhibit of shown) {
      signal.throwIfAborted()
      await output.write(formatExplanation(explain(exhibit.url, { defaults, domainToAscii: domainToASCII })))
      const outcome = await outcomeOf(exhibit.url, client)
      await output.write(`${format(outcome)}\n`)
      if (!asExpected(exhibit, outcome)) {
        wrong++
        output.note(
          `retrieve: ${exhibit.url}: expected exit code ${exhibit.exit} and ${JSON.stringify(exhibit.expected)}.`,
        )
      }
    }
    const sum = wrong === 0 ? 'All went as it should' : `${wrong} of ${shown.length} went wrong`
    await output.write(`${sum}. Try it: retrieve serve, and in another terminal: retrieve URL\n`)
    return wrong === 0 ? 0 : 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** In the columns of an explanation. */
function format({ lines }: ShownOutcome): string {
  return lines
    .map((line, index) => `  ${(index === 0 ? 'came' : '').padEnd(7)}  ${printable(line)}`.trimEnd().concat('\n'))
    .join('')
}

function asExpected({ expected, exit }: DemoCase, outcome: ShownOutcome): boolean {
  return outcome.exit === exit && outcome.lines.some((line) => line.includes(expected))
}
