import type { Entry, Representation } from '@retriever/fetchers'

/** The entries of a listing or a message. */
export async function entriesOf(representation: Representation): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of representation.entries()) entries.push(entry)
  return entries
}
