import { Readable } from 'node:stream'
import { RetrievalError } from '@retriever/core'
import { fileNameOf } from '@retriever/fetchers'
import { makeZip } from 'client-zip'
import type { Answer, FieldLine } from '../answer.ts'
import { disposition } from '../fields.ts'
import { Refusal } from '../problem.ts'
import type { Visit } from './visit.ts'

/** How many entries of a tree go into one file. */
const mostEntries = 10_000

/** The mechanisms whose servers have trees of files. */
export const treeMechanisms: ReadonlySet<string> = new Set(['ftp', 'sftp', 'nfs'])

/** A folder and all below it as a ZIP file, written as the files come. `FAILED.txt` in it tells what failed. */
export async function zipped(visiting: Visit, lines: readonly FieldLine[]): Promise<Answer> {
  const { resolution, asked } = visiting
  if (!treeMechanisms.has(resolution.plan.mechanism)) {
    throw new Refusal(404, 'Only folders by FTP, SFTP and NFS come as ZIP files.')
  }
  const head: FieldLine[] = [
    ['Content-Type', 'application/zip'],
    disposition('attachment', `${fileNameOf(resolution) ?? 'files'}.zip`),
    ...lines,
  ]
  // HEAD walks through no tree.
  if (asked.method === 'HEAD') return { status: 200, lines: head, body: null }
  const all = files(visiting)
  // What fails before the first file is an error with its status.
  const first = await all.next()
  const stream = makeZip(from(first, all)) as Parameters<typeof Readable.fromWeb>[0]
  return { status: 200, lines: head, body: Readable.fromWeb(stream, { signal: asked.signal }) }
}

interface ZippedFile {
  readonly name: string
  readonly input: AsyncIterable<Uint8Array<ArrayBuffer>> | string
  readonly lastModified: Date
}

async function* from(
  first: IteratorResult<ZippedFile, void>,
  others: AsyncGenerator<ZippedFile, void>,
): AsyncGenerator<ZippedFile, void> {
  if (first.done !== true) yield first.value
  yield* others
}

async function* files({ core, memory, asked: { signal }, resolution }: Visit): AsyncGenerator<ZippedFile, void> {
  const { client, messageOf } = core.settings
  const failed: string[] = []
  const walk = client.walk(memory.withLogin(resolution), { signal, maxEntries: mostEntries })
  for await (const { kind, url, path, modified, outside, error } of walk) {
    if (error !== null) failed.push(messageOf(error))
    if (error !== null || kind !== 'file' || outside) continue
    try {
      const found = await client.retrieve(memory.withLogin(client.resolve(url)), { signal })
      const input = found as AsyncIterable<Uint8Array> as AsyncIterable<Uint8Array<ArrayBuffer>>
      // Windows takes a backslash for a separator.
      yield { name: path.replaceAll('\\', '_'), input, lastModified: modified ?? new Date() }
    } catch (error) {
      if (!RetrievalError.is(error) || signal.aborted) throw error
      failed.push(messageOf(error))
    }
  }
  if (failed.length > 0)
    yield { name: 'FAILED.txt', input: failed.map((line) => `${line}\n`).join(''), lastModified: new Date() }
}
