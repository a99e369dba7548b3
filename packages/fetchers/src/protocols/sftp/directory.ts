import { isUtf8 } from 'node:buffer'
import { encodeOctets, octetsToText, printable } from '@retriever/core'
import type { Entry, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { whenHeld } from '../../kit/limits.ts'
import { checkDate } from '../../kit/request-options.ts'
import { overHeld } from '../../kit/size-limit.ts'
import { splitLink } from '../../kit/text/split-link.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { folderUrl } from '../../wire/folder-url.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { type Attributes, fileKind, readAttributes } from './attributes.ts'
import { type Answer, SftpStatus } from './channel.ts'
import { endOfFile, packet } from './packets.ts'
import type { SftpSession } from './session.ts'

/** A name in a directory. The strings hold one octet a character. */
interface Listed {
  readonly name: string
  /** A line as `ls -l` writes it. Some servers send none; the line is then only the name. */
  readonly line: string
  readonly attributes: Attributes
  /** The target of a link, if the server tells it. */
  readonly target: string | null
}

/** Makes a listing of a directory: the server's own lines, as `ls -l` writes them, in its order. */
export async function readDirectory(
  path: string,
  { modified }: Attributes,
  session: SftpSession,
  context: RetrievalContext,
): Promise<Retrieved<'sftp'>> {
  if (modified !== null) checkDate(context, modified)
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A directory has no ranges; retrieve it without one.')
  }
  const listed = await readNames(path, session, context)
  const text = Buffer.from(listed.map(lineOf).join(''), 'latin1')
  return wholeResult(text, {
    kind: 'listing',
    mediaType: 'text/plain',
    charset: isUtf8(text) ? 'utf-8' : null,
    modified,
    metadata: {},
    entries: (body) => entriesOf(listed, body, context),
  })
}

async function readNames(path: string, session: SftpSession, context: RetrievalContext): Promise<Listed[]> {
  const request = [packet.openDirectory, path] as const
  const handle = (
    await session.ask(context, 'request', `OPENDIR ${printable(octetsToText(path))}`, request, packet.handle)
  ).octets()
  const { maxListing } = whenHeld(context.limits)
  const listed: Listed[] = []
  let length = 0
  try {
    while (true) {
      const some = await nextNames(handle, session, context)
      // OpenSSH takes an answer without names for the end, too.
      if (some.length === 0) return listed
      for (const { name, line } of some) length += (line || name).length + 1
      if (length > maxListing) throw overHeld(context, 'listing', 'maxListing')
      const named = some.filter(({ name }) => name !== '.' && name !== '..' && name !== '')
      listed.push(...(await Promise.all(named.map((each) => complete(each, path, session, context)))))
    }
  } finally {
    session.release(handle)
  }
}

/** Reads some more names. Returns none after all have come. */
async function nextNames(handle: Buffer, session: SftpSession, context: RetrievalContext): Promise<readonly Listed[]> {
  try {
    return namesIn(await session.ask(context, 'request', '', [packet.readDirectory, handle], packet.names))
  } catch (error) {
    if (error instanceof SftpStatus && error.status === endOfFile) return []
    throw error
  }
}

function namesIn(fields: Answer['fields']): Listed[] {
  const listed: Listed[] = []
  for (let left = fields.number(); left > 0; left--) {
    listed.push({ name: fields.text(), line: fields.text(), attributes: readAttributes(fields), target: null })
  }
  return listed
}

/** Asks for what the listing does not tell: attributes, on some servers, and the target of a link. */
async function complete(
  listed: Listed,
  path: string,
  session: SftpSession,
  context: RetrievalContext,
): Promise<Listed> {
  const place = `${path.replace(/\/$/, '')}/${listed.name}`
  const ask = (type: number, wanted: number) =>
    session.ask(context, 'request', '', [type, place], wanted).catch((error: unknown) => {
      if (error instanceof SftpStatus) return null
      throw error
    })
  // A listing may omit attributes that the server tells of one file (draft-ietf-secsh-filexfer-02 5).
  const isTold = listed.attributes.mode !== null || leadsElsewhere(listed.name)
  const told = isTold ? null : await ask(packet.linkStat, packet.attributes)
  const each = told === null ? listed : { ...listed, attributes: readAttributes(told) }
  if (fileKind(each.attributes) !== 'link') return each
  const names = await ask(packet.readLink, packet.names)
  return { ...each, target: names === null ? null : (namesIn(names)[0]?.name ?? null) }
}

/** Writes `-rw-r--r-- 1 alice users 12 Feb 3 2001 name`, and ` -> target` for links. A name may hold a line feed. */
function lineOf({ name, line, target }: Listed): string {
  const shown = `${line || name}${target === null ? '' : ` -> ${target}`}`
  return `${shown.replace(/[\0-\x1F\x7F]/g, (control) => encodeOctets(control))}\n`
}

async function* entriesOf(
  listed: readonly Listed[],
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry> {
  // SFTP's attributes say more than the lines of the body, so the body is only read to its end.
  for await (const _chunk of body);
  const base = folderUrl(context)
  for (const each of listed) yield entryOf(each, base)
}

/**
 * The entries of kept lines. The date is left out: it has no year or no time, and nobody knows in which zone. A line of
 * another form is a name, as some servers write it.
 */
export async function* keptEntries(
  body: AsyncIterable<Uint8Array>,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const base = folderUrl(context)
  for await (const line of linesOf(body, context)) if (line !== '') yield entryOf(keptItem(line), base)
}

/** Reads `-rw-r--r-- 1 alice users 12 Feb 3 2001 name`. Blanks may stand in the name of a group: `domain users`. */
function keptItem(line: string): Listed {
  const [, letter = '', size, rest = line] =
    /^([-dlbcpsD])[-rwxsStTlL]{9}[.+@]? +[\d?]+(?: +[^ ]+){2,8}? +(\d+) +[A-Za-z]{3} +\d{1,2} +[\d:]{4,5} (.+)$/.exec(
      line,
    ) ?? []
  const mode = modes[letter] ?? null
  const [name, target = null] = letter === 'l' ? splitLink(rest) : [rest]
  const attributes = { mode, uid: null, gid: null, size: size === undefined ? null : Number(size), modified: null }
  return { name, line, attributes, target }
}

/** The types of files in a mode (stat(2)), by their letters in `ls -l`. */
const modes: Readonly<Record<string, number>> = { '-': 0o100000, d: 0o040000, l: 0o120000 }

function entryOf({ name: octets, attributes, target }: Listed, base: string): Entry {
  const { mode, uid, gid, size, modified } = attributes
  const kind = fileKind(attributes) ?? 'other'
  const leads = !leadsElsewhere(octets)
  const name = octetsToText(octets)
  return {
    name: leads ? name : printable(name),
    kind,
    url: leads ? `${base}${encodeOctets(octets)}${kind === 'directory' ? '/' : ''}` : null,
    ...(kind === 'file' && size !== null && { size }),
    ...(modified !== null && { modified }),
    details: {
      ...(!leads && { leadsElsewhere: true }),
      ...(mode !== null && { mode }),
      ...(uid !== null && { uid, gid }),
      ...(target !== null && { target: octetsToText(target) }),
    },
  }
}

/** Whether a name leads out of its directory (threats.md 3). */
function leadsElsewhere(octets: string): boolean {
  return /[/\0]/.test(octets)
}
