import { join } from 'node:path'
import type { Resolution } from '@retriever/core'
import type { Representation } from '@retriever/fetchers'
import { checkTarget, type Destination, writeFailed } from '../destination.ts'
import { fileNameOf } from '../file-name.ts'
import { printListing } from '../listing.ts'
import type { Run } from '../main.ts'
import type { Output } from '../output.ts'
import { eachUrl, Session } from '../session.ts'
import { TerminalText } from '../terminal-text.ts'

/** `retrieve [get] URL...`: the bodies, in order, to standard output or to files. */
export async function get(run: Run): Promise<number> {
  const { destinations } = run.config
  await using session = new Session(run)
  return await eachUrl(run, async (operand, index) => {
    const destination = destinations[index] ?? { to: 'stdout', asIs: false }
    await retrieveTo(destination, session.resolve(operand), session, run.output)
  })
}

async function retrieveTo(
  destination: Destination,
  resolution: Resolution,
  session: Session,
  output: Output,
): Promise<void> {
  if (destination.to === 'stdout') {
    await using representation = await session.retrieve(resolution, !output.stdoutIsTerminal)
    if (output.stdoutIsTerminal && !destination.asIs) return await show(representation, output)
    return await representation.writeTo((chunk) => output.write(chunk))
  }
  const overwrite = destination.to === 'file'
  const path = destination.to === 'file' ? destination.path : join(destination.directory, nameFor(resolution))
  checkTarget(path, overwrite)
  await using representation = await session.retrieve(resolution, true)
  await representation.saveTo(path, { overwrite })
}

function nameFor(resolution: Resolution): string {
  const name = fileNameOf(resolution)
  if (name === null) throw writeFailed(`The file for ${resolution.url}`, 'the URL ends in no name; give one by -o FILE')
  return name
}

/** On a terminal: a listing as a table, a text made harmless, and nothing that is no text. */
async function show(representation: Representation, output: Output): Promise<void> {
  if (representation.kind === 'listing') return printListing(representation, output, false)
  const text = new TerminalText(representation.charset)
  let first = true
  for await (const chunk of representation) {
    if (first && chunk.includes(0)) {
      const advice = 'save it by -o FILE or -O, or force it by -o -'
      throw writeFailed('The terminal', `the body is binary (${representation.mediaType ?? 'unknown type'}); ${advice}`)
    }
    first = false
    await output.write(text.show(chunk))
  }
  await output.write(text.end())
}
