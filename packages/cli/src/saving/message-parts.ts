import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import { type Representation, safeFileName } from '@retriever/fetchers'
import { type Message, type MessagePart, readMessage } from '@retriever/fetchers/mime'
import { usageError } from '../exit-codes.ts'
import type { PartOptions } from '../options/protocols/news.ts'
import type { Run } from '../run.ts'
import { formatSize } from '../terminal/output.ts'
import { showText } from '../terminal/terminal-text.ts'
import { isMessage } from '../views/media.ts'
import { type Destination, notShown, tryFile, writeFailed } from './destination.ts'

/** Writes the parts of --part and --attachments to their destination. */
export async function getParts(
  { which, attachmentsTo }: PartOptions,
  representation: Representation,
  destination: Destination,
  run: Run,
): Promise<void> {
  if (!isMessage(representation)) {
    const what = representation.kind === 'listing' ? 'a listing' : (representation.mediaType ?? 'of unknown type')
    const typed = which === null ? '--attachments' : '--part'
    throw usageError(`${representation.url} is not a message but ${what}: leave ${typed} out.`)
  }
  const message = await readMessage(representation)
  if (attachmentsTo !== null) return saveAttachments(message, representation, attachmentsTo, run)
  const part = message.part(which)
  if (part === null) throw notFound(representation, `no part ${JSON.stringify(which)}`)
  const [number] = [...message.allParts()].find(([, each]) => each === part) ?? [which]
  await giveOut(number, part, destination, run)
}

async function giveOut(number: string, part: MessagePart, destination: Destination, { output }: Run): Promise<void> {
  part.throwIfDamaged()
  switch (destination.to) {
    case 'file':
      return part.saveTo(destination.path, { special: true })
    case 'remote-name':
      return part.saveTo(join(destination.directory, fileName(number, part)), { overwrite: false })
    case 'stdout': {
      if (!output.stdoutIsTerminal || destination.asIs) return output.write(part.octets)
      if (part.octets.includes(0) && !part.charset?.startsWith('utf-16')) throw notShown(part.mediaType)
      return output.write(showText(part.text()))
    }
  }
}

/** Saves all attachments, or none if a name is taken. Saves the good ones before it reports damaged ones. */
async function saveAttachments(
  message: Message,
  representation: Representation,
  directory: string,
  { report }: Run,
): Promise<void> {
  const all = attachmentsOf(message)
  if (all.length === 0) throw notFound(representation, 'no attachments')
  const attachments = all.filter(([, { damage }]) => damage === null)
  const paths = distinctNames(attachments).map((name) => join(directory, name))
  // Each file first has the other two names, while it is written.
  for (const path of paths.flatMap((path) => [path, `${path}.part`, `${path}.part.json`])) checkFree(path)
  for (const [index, [number, part]] of attachments.entries()) {
    const path = paths[index] ?? ''
    await part.saveTo(path, { overwrite: false })
    const saved = `part ${number}, ${part.mediaType}, ${formatSize(part.size)}, saved as ${path}`
    report.notice({ operand: representation.url, message: saved })
  }
  for (const [, part] of all) part.throwIfDamaged()
}

/**
 * The attachments with their numbers. Those within an attached message are left out, since that message is saved as a
 * whole.
 */
function attachmentsOf(message: Message): (readonly [number: string, part: MessagePart])[] {
  const attached = [...message.allParts()].filter(([, { isAttachment }]) => isAttachment)
  const messages = attached.flatMap(([number, part]) => (part.message === null ? [] : [`${number}.`]))
  return attached.filter(([number]) => !messages.some((outer) => number.startsWith(outer)))
}

function checkFree(path: string): void {
  const there = tryFile(path, () => lstatSync(path, { throwIfNoEntry: false }))
  if (there) throw writeFailed(path, 'it exists already; remove it, or choose another folder with --output-dir')
}

/**
 * Makes equal names differ: `a.bin`, `a-2.bin`. It ignores case, as some file systems do (threats.md 58: name tricks).
 */
function distinctNames(parts: readonly (readonly [string, MessagePart])[]): string[] {
  const taken = new Set<string>()
  return parts.map(([number, part]) => {
    const name = fileName(number, part)
    const [, stem = name, extension = ''] = /^(.+?)(\.[^.]{1,20})?$/.exec(name) ?? []
    let candidate = name
    const isTaken = (): boolean => namesOf(candidate).some((each) => taken.has(each))
    for (let count = 2; isTaken(); count++) candidate = `${stem}-${count}${extension}`
    for (const each of namesOf(candidate)) taken.add(each)
    return candidate
  })
}

/** The names that a file uses while it is written, in lower case. */
function namesOf(name: string): readonly string[] {
  return [name, `${name}.part`].map((each) => each.toLowerCase())
}

function fileName(number: string, { name }: MessagePart): string {
  return safeFileName(name ?? '') ?? `part-${number}`
}

function notFound({ url }: Representation, what: string): RetrievalError {
  const message = `${url}: The message has ${what}. To list its parts: retrieve ls ${url}`
  return new RetrievalError('not-found', message, { phase: 'body', url })
}
