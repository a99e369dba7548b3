import { readFile, stat } from 'node:fs/promises'
import type { PageLink } from '../../contract/pages.ts'
import { PageText } from '../../pages/page-text.ts'
import { rewritten } from '../../pages/rewrite.ts'
import { orWriteFailed, writeFailed } from '../../saving/local-file.ts'
import { removeStale } from '../../saving/part-lock.ts'
import { saveInMemory } from '../../saving/small-body.ts'
import { linksIn, readLinks, relativeLink, type SiteLink } from './page-links.ts'
import type { SavedPage } from './record-entry.ts'
import type { SiteParts } from './site.ts'
import { digestOf } from './site-record.ts'

/** Makes the links of a saved page lead to the files that are there, and the others to their targets on the web. */
export async function rewriteLinks(
  page: SavedPage,
  isThere: (file: string) => boolean,
  { target, record }: SiteParts,
): Promise<void> {
  const file = target.fileAt(page.file)
  const octets = await orWriteFailed(file, () => readFile(file))
  const digest = digestOf(octets)
  const isCopy = digest === page.copy
  // Somebody else has changed the file.
  if (!isCopy && digest !== page.source) return
  const text = new PageText(octets, { mediaType: page.type, charset: page.charset })
  const read = readLinks(text, page.type)
  const changes = new Map<PageLink, string>()
  for (const link of linksIn(text, read, { ...page, isCopy }, record)) {
    const saved = link.link.kind === 'form' ? undefined : record.find(link.url)
    const url = newLink(link, page, saved !== undefined && isThere(saved.file) ? saved : null)
    if (url !== null) changes.set(link.link, url)
  }
  const changed = text.octetsOf(rewritten(text.text, read, (link) => changes.get(link) ?? null))
  if (changed.equals(octets)) return
  const { mode } = await stat(file)
  // The checksum is known before the file changes: a killed run leaves a file that is one or the other.
  await record.add({ ...page, copy: digestOf(changed) })
  const modified = page.modified === null ? null : new Date(page.modified)
  const how = { path: file, mode: mode & 0o777, modified, overwrite: true, beforeName: undefined }
  if (await saveInMemory(changed, how)) return
  await removeStale(`${file}.part`)
  if (!(await saveInMemory(changed, how))) throw writeFailed(file, 'another retrieval is writing it')
}

/** The new text of a link, for what the copy has of its target. Null: it stays as it is written. */
function newLink({ link, url, fragment, isLocal }: SiteLink, page: SavedPage, saved: SavedPage | null): string | null {
  if (saved !== null) return relativeLink(page.file, saved.file) + fragment
  const isAbsolute = !isLocal && /^[a-z][a-z0-9+.-]*:/i.test(link.url)
  return isAbsolute ? null : url + fragment
}
