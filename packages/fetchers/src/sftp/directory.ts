import { encodeOctets, printable, utf8Octets } from '@retriever/core'
import type { FileEntryWithStats, Stats } from 'ssh2'
import { wholeSource } from '../plugin/byte-source.ts'
import type { Entry, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { whenHeld } from '../plugin/limits.ts'
import { checkDate } from '../plugin/request-options.ts'
import { attributesOf } from './attributes.ts'
import { isStatus, type SftpSession } from './session.ts'

/** The status of a directory whose names have all come. */
const endOfFile = 1

interface Listed {
  readonly found: FileEntryWithStats
  /** The target of a link, if the server tells it. */
  readonly target: string | null
}

/** A directory as a listing: the server's own lines, as `ls -l` writes them, in its order. */
export async function readDirectory(
  path: string,
  stats: Stats,
  session: SftpSession,
  context: RetrievalContext,
): Promise<Retrieved<'sftp'>> {
  const { modified } = attributesOf(stats)
  if (modified !== null) checkDate(context, modified)
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A directory has no ranges; retrieve it without one.')
  }
  const listed = await readEntries(path, session, context)
  session.close()
  const text = Buffer.from(listed.map(lineOf).join(''))
  return {
    outcome: 'retrieved',
    kind: 'listing',
    mediaType: 'text/plain',
    charset: 'utf-8',
    size: text.length,
    modified,
    completeness: 'verified',
    metadata: {},
    body: wholeSource(text),
    entries: (body) => entriesOf(listed, body, context),
  }
}

async function readEntries(path: string, session: SftpSession, context: RetrievalContext): Promise<Listed[]> {
  const handle = await session.call<Buffer>('request', `OPENDIR ${path}`, (sftp, done) => sftp.opendir(path, done))
  const { maxListing } = whenHeld(context.limits)
  const listed: Listed[] = []
  let length = 0
  while (true) {
    const some = await session
      .call<FileEntryWithStats[]>('request', '', (sftp, done) => sftp.readdir(handle, done))
      .catch((error: unknown) => {
        if (isStatus(error) && error.code === endOfFile) return null
        throw error
      })
    if (some === null) return listed
    for (const found of some) {
      length += Buffer.byteLength(found.longname || found.filename) + 1
      if (length > maxListing) {
        throw context.error(
          'limit-exceeded',
          `The listing is over ${maxListing} octets, the limit set by maxListing or maxCollected.`,
        )
      }
      listed.push({
        found,
        target: found.attrs.isSymbolicLink() ? await targetOf(path, found.filename, session) : null,
      })
    }
  }
}

async function targetOf(path: string, name: string, session: SftpSession): Promise<string | null> {
  const link = `${path.replace(/\/$/, '')}/${name}`
  try {
    return await session.call<string>('request', '', (sftp, done) => sftp.readlink(link, done))
  } catch (error) {
    if (isStatus(error)) return null
    throw error
  }
}

/**
 * `-rw-r--r-- 1 alice users 12 Feb 3 2001 name`, and for links ` -> target`; a name may hold a line feed. Some servers
 * send no such line, so that the name stands alone.
 */
function lineOf({ found, target }: Listed): string {
  const line = `${found.longname || found.filename}${target === null ? '' : ` -> ${target}`}`
  return `${line.replace(/[\0-\x1F\x7F]/g, (control) => encodeOctets(control))}\n`
}

async function* entriesOf(
  listed: readonly Listed[],
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry> {
  // The attributes of SFTP say more than the lines of the body, so the body is only read to its end.
  for await (const _chunk of body);
  const base = context.url.replace(/#.*$/s, '').replace(/\/?$/, '/')
  for (const each of listed) {
    const { filename } = each.found
    if (filename === '.' || filename === '..' || filename === '') continue
    yield entryOf(each, base)
  }
}

function entryOf({ found: { filename, attrs }, target }: Listed, base: string): Entry {
  const kind = kindOf(attrs)
  // security.md 3: a name that leads elsewhere. ssh2 has replaced octets that are not UTF-8; no URL can ask for those.
  const leads = !/[/\0\uFFFD]/.test(filename)
  const { size, modified } = attributesOf(attrs)
  const url = `${base}${encodeOctets(utf8Octets(filename))}${kind === 'directory' ? '/' : ''}`
  return {
    name: leads ? filename : printable(filename),
    kind,
    url: leads ? url : null,
    ...(kind === 'file' && size !== null && { size }),
    ...(modified !== null && { modified }),
    details: { mode: attrs.mode, uid: attrs.uid, gid: attrs.gid, ...(target !== null && { target }) },
  }
}

function kindOf(attrs: Stats): Entry['kind'] {
  if (attrs.isFile()) return 'file'
  if (attrs.isDirectory()) return 'directory'
  return attrs.isSymbolicLink() ? 'link' : 'other'
}
