import { encodeOctets, octetsToText, printable } from '@retriever/core'
import type { Entry, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { whenHeld } from '../../kit/limits.ts'
import { checkDate } from '../../kit/request-options.ts'
import { overHeld } from '../../kit/size-limit.ts'
import { splitLink } from '../../kit/text/split-link.ts'
import { folderUrl } from '../../wire/folder-url.ts'
import { linesOf as linesIn } from '../../wire/framing/lines.ts'
import { textListing } from '../../wire/text-listing.ts'
import type { DirectoryItem } from './files.ts'
import type { Located } from './locate.ts'

/**
 * Makes a listing of a directory, in the server's order: lines with permissions, owner, group, size, date and name, as
 * in `ls -l`. They come as the server sends its pages.
 */
export function readDirectory(
  { files, found }: Located,
  context: RetrievalContext,
  end: (error?: unknown) => unknown,
): Retrieved<'nfs'> {
  const { modified } = found.attributes
  checkDate(context, modified)
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A directory has no ranges; retrieve it without one.')
  }
  /** The items whose lines the body has given, but whose entries nobody has read yet. */
  const read: DirectoryItem[] = []
  return {
    ...textListing<'nfs'>({
      metadata: { version: files.version, fileId: found.attributes.fileId },
      body: linesOf(files.pages(found.handle), read, context, end),
      entries: (body) => entriesOf(body, read, context),
    }),
    charset: 'utf-8',
    modified,
  }
}

async function* linesOf(
  pages: AsyncIterable<readonly DirectoryItem[]>,
  read: DirectoryItem[],
  context: RetrievalContext,
  end: (error?: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, void> {
  const { maxListing } = whenHeld(context.limits)
  let length = 0
  const forget = context.deadline.onAbort(() => void end())
  try {
    for await (const page of pages) {
      const text = Buffer.from(page.map(lineOf).join(''))
      length += text.length
      if (length > maxListing) throw overHeld(context, 'listing', 'maxListing')
      read.push(...page)
      if (text.length > 0) yield text
    }
    end()
  } catch (error) {
    throw end(error)
  } finally {
    forget()
    end()
  }
}

const letters: Readonly<Record<string, string>> = { directory: 'd', file: '-', link: 'l', other: '?' }

/**
 * Writes `-rw-r--r-- 1000 1000 12 2001-02-03T04:05:06Z name`, and ` -> target` for links. A name may hold a line feed.
 */
function lineOf({ name, attributes, target }: DirectoryItem): string {
  const shown = visible(`${octetsToText(name)}${target === null ? '' : ` -> ${octetsToText(target)}`}`)
  if (attributes === null) return `?--------- - - - - ${shown}\n`
  const { kind, mode, owner, group, size, modified } = attributes
  const bits = [...'rwxrwxrwx'].map((letter, index) => ((mode >> (8 - index)) & 1 ? letter : '-')).join('')
  const date = modified.toISOString().replace(/\.\d+Z$/, 'Z')
  return `${letters[kind]}${bits} ${word(owner)} ${word(group)} ${size} ${date} ${shown}\n`
}

/** The entries of kept lines. */
export async function* keptEntries(
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const base = folderUrl(context)
  for await (const line of linesIn(body, context)) {
    const item = keptItem(line)
    if (item !== null) yield entryOf(item, base)
  }
}

/** Reads such a line. Null: it is none. */
function keptItem(line: string): DirectoryItem | null {
  const [, letter = '', bits = '', owner = '', group = '', size = '', date = '', shown] =
    /^([-dl?])([-rwx]{9}) ([^ ]+) ([^ ]+) (\d+|-) ([+\d-]+T[\d:]+Z|-) (.+)$/.exec(line) ?? []
  if (shown === undefined) return null
  if (date === '-') return { name: shown, attributes: null, target: null }
  const modified = new Date(date)
  if (Number.isNaN(modified.getTime())) return null
  const kind = kinds[letter] ?? 'other'
  const [name, target = null] = kind === 'link' ? splitLink(shown) : [shown]
  const mode = [...bits].reduce((sum, bit) => sum * 2 + Number(bit !== '-'), 0)
  const [ownerName, groupName] = [owner, group].map((each) => each.replaceAll('%20', ' '))
  return {
    ...{ name, target },
    attributes: {
      ...{ kind, mode, owner: ownerName ?? '', group: groupName ?? '', size: Number(size) },
      ...{ modified, fileId: '' },
    },
  }
}

const kinds: Readonly<Record<string, 'file' | 'directory' | 'link'>> = { '-': 'file', d: 'directory', l: 'link' }

function visible(text: string): string {
  return text.replace(/[\0-\x1F\x7F]/g, (control) => encodeOctets(control))
}

function word(text: string): string {
  return visible(octetsToText(text)).replaceAll(' ', '%20') || '-'
}

/** Yields the entries of the pages that the body has read so far. Their attributes say more than the lines. */
async function* entriesOf(
  body: AsyncIterable<Uint8Array>,
  read: DirectoryItem[],
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const base = folderUrl(context)
  for await (const _chunk of body) for (const item of read.splice(0)) yield entryOf(item, base)
}

function entryOf({ name, attributes, target }: DirectoryItem, base: string): Entry {
  const kind = attributes?.kind ?? 'other'
  // The name leads elsewhere (threats.md 3).
  const leads = name !== '' && !/[/\0]/.test(name)
  const url = `${base}${encodeOctets(name)}${kind === 'directory' ? '/' : ''}`
  const text = octetsToText(name)
  return {
    name: leads ? text : printable(text),
    kind,
    url: leads ? url : null,
    ...(kind === 'file' && attributes !== null && { size: attributes.size }),
    ...(!leads && { details: { leadsElsewhere: true } }),
    ...(attributes !== null && {
      modified: attributes.modified,
      details: {
        ...(!leads && { leadsElsewhere: true }),
        mode: attributes.mode,
        uid: attributes.owner,
        gid: attributes.group,
        ...(target !== null && { target: octetsToText(target) }),
      },
    }),
  }
}
