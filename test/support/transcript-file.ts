/** A folder for a transcript, and what is in one. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClientOptions, createClient } from '@retriever/fetchers'
import { record } from '@retriever/servers/record'

type Client = ReturnType<typeof createClient>

/** Runs a test with the name of a file that does not exist yet. */
export async function withFile<T>(use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'transcript-'))
  try {
    return await use(join(folder, 'transcript.jsonl'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Records everything that happens with a client. */
export async function recorded<T>(
  file: string,
  use: (client: Client) => Promise<T>,
  options: ClientOptions = {},
): Promise<T> {
  await using client = createClient(options)
  await using _recording = await record(client, file)
  return await use(client)
}

/** The lines of a transcript, without its header. */
export async function linesIn(file: string): Promise<Record<string, unknown>[]> {
  const [, ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}
