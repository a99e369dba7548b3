import type { Entry, Fetcher } from '@retriever/fetchers'
import type { Retrieved } from '@retriever/fetchers/plugin'
import { chunks, fakeHttp, retrieved } from './fake-fetcher.ts'

/** The entries of one folder: names, of which those of folders end in `/`, or an async iterable of entries. */
export type FakeFolder = readonly string[] | AsyncIterable<Entry>

/**
 * A fetcher for http whose folders come from a function of the path. Null: an object. A rejection or throw is the
 * failure of that folder.
 */
export function fakeTree(folderAt: (path: string) => FakeFolder | null | Promise<FakeFolder | null>): Fetcher<'http'> {
  return fakeHttp(async (plan, context): Promise<Retrieved<'http'>> => {
    const folder = await folderAt(plan.target)
    if (folder === null) return retrieved(chunks(plan.target), { size: plan.target.length })
    const entries = Symbol.asyncIterator in folder ? folder : named(folder, context.url)
    return retrieved(chunks('listing'), { kind: 'listing', entries: () => entries })
  })
}

async function* named(names: readonly string[], url: string): AsyncGenerator<Entry> {
  for (const name of names) yield entryOf(name, url)
}

export function entryOf(name: string, folder: string): Entry {
  const kind = name.endsWith('/') ? 'directory' : 'file'
  return { name: name.replace(/\/$/, ''), kind, url: folder + name }
}
