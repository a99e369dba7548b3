import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Resolution } from '@retriever/core'
import { charsetOf, type Representation } from '@retriever/fetchers'
import type { Run } from '../main.ts'
import type { PartOptions } from '../options/part-options.ts'
import { octetsFrom } from '../saving/continuation.ts'
import { attempt, checkTarget, type Destination, writeFailed } from '../saving/destination.ts'
import { dispositionName } from '../saving/disposition.ts'
import { checkEtagFile, saveEtag } from '../saving/etag.ts'
import { safeFileName } from '../saving/file-name.ts'
import { KeptOctets } from '../saving/kept-octets.ts'
import { isAttributes, isGroup, isMenu, isMessage } from '../saving/media.ts'
import { checkPlan, type FileDestination, nameFor, planSave, saveAsPlanned } from '../saving/save-plan.ts'
import { eachUrl, Session } from '../session.ts'
import type { Output } from '../terminal/output.ts'
import { TerminalText } from '../terminal/terminal-text.ts'
import { headOf, isHttp, shownHead } from '../views/head.ts'
import { printListing } from '../views/listing.ts'

/** `retrieve [get] URL...`: the bodies, in order, to standard output or to files. */
export async function get(run: Run): Promise<number> {
  const { destinations, etagFile, damagedEtagFile } = run.config
  if (etagFile !== null) checkEtagFile(etagFile)
  if (damagedEtagFile !== null) {
    run.report.warning({ message: `--etag-compare ${damagedEtagFile} holds no entity tag, and is passed over.` })
  }
  await using session = new Session(run)
  const kept = new KeptOctets(run.report, run.config.continueAt !== null)
  const retrieveTo = async (operand: string, index: number): Promise<void> => {
    const destination = destinations[index] ?? { to: 'stdout', asIs: false }
    const resolution = session.resolve(operand)
    if (run.config.parts !== null) await toParts(run.config.parts, destination, resolution, session, run)
    else if (destination.to === 'stdout') await toStdout(destination.asIs, resolution, session, run)
    else await toFile(destination, resolution, session, run, kept)
  }
  return await eachUrl(run, retrieveTo, (operand) => kept.tell(operand))
}

async function toStdout(asIs: boolean, resolution: Resolution, session: Session, run: Run): Promise<void> {
  const { config, output } = run
  // `-C -` needs a file, as readConfig has seen to.
  const start = Number(config.continueAt ?? 0)
  await using representation = await session.retrieve(resolution, !output.stdoutIsTerminal, start)
  const isShown = output.stdoutIsTerminal && !asIs
  if (config.request.head || (config.include && isHttp(representation))) {
    const head = headOf(representation, session.statusLine)
    await output.write(isShown ? shownHead(head) : head)
  }
  if (config.request.head) return saveEtag(config.etagFile, representation)
  if (isShown) await show(representation, start, output)
  else if (representation.offset >= start) await representation.writeTo((chunk) => output.write(chunk))
  else for await (const chunk of octetsFrom(representation, start)) await output.write(chunk)
  saveEtag(config.etagFile, representation)
}

async function toFile(
  destination: FileDestination,
  resolution: Resolution,
  session: Session,
  run: Run,
  kept: KeptOctets,
): Promise<void> {
  if (destination.to === 'remote-name' && destination.byServer)
    return toNamed(destination, resolution, session, run, kept)
  const plan = await planSave(destination, resolution, session, run)
  kept.begin(plan)
  const check = (representation: Representation): void => checkPlan(plan, representation)
  await using representation = await session.retrieve(resolution, true, plan.from, check)
  await saveAsPlanned(plan, representation)
  kept.end()
  saveEtag(run.config.etagFile, representation)
}

/** Of a message, what --part or --attachments wants. */
async function toParts(
  wanted: PartOptions,
  destination: Destination,
  resolution: Resolution,
  session: Session,
  run: Run,
): Promise<void> {
  const folder = wanted.attachmentsTo
  if (folder !== null) attempt(folder, () => accessSync(folder, constants.W_OK))
  else if (destination.to === 'file') checkTarget(destination.path, true, true)
  await using representation = await session.retrieve(resolution, false)
  const { getParts } = await import('../saving/message-parts.ts')
  await getParts(wanted, representation, destination, run)
}

/** -J: how the file is called is known once the answer has come. */
async function toNamed(
  { directory }: { readonly directory: string },
  resolution: Resolution,
  session: Session,
  { config, report }: Run,
  kept: KeptOctets,
): Promise<void> {
  await using representation = await session.retrieve(resolution, true)
  const given = givenName(representation)
  const path = join(directory, given ?? nameFor(resolution))
  const options = { overwrite: false, resumable: config.request.range === undefined }
  const plan = { path, from: 0, behind: null, options }
  kept.begin(plan, true)
  await saveAsPlanned(plan, representation)
  kept.end()
  const whose = given === null ? 'named after the URL: the server gives no usable name' : 'as the server names it'
  report.notice({ operand: resolution.url, message: `saved as ${path}, ${whose}` })
}

/** The name out of Content-Disposition, made safe; null where there is none, or nothing is left of it. */
function givenName(representation: Representation): string | null {
  const headers = representation.mechanism === 'http' ? representation.metadata.headers : {}
  const name = dispositionName(headers['content-disposition'] ?? '')
  return name === null ? null : safeFileName(name)
}

/**
 * On a terminal: a menu, a newsgroup and a message as pages, other listings as a table, a text made harmless, and nothing that is no
 * text. What makes a page (55 KB) is loaded where there is one.
 */
async function show(representation: Representation, start: number, output: Output): Promise<void> {
  if (isMenu(representation)) {
    const { printMenu } = await import('../views/menu.ts')
    return printMenu(representation, output)
  }
  if (isGroup(representation)) {
    const { printGroup } = await import('../views/group.ts')
    return printGroup(representation, output)
  }
  if (representation.kind === 'listing' && !isAttributes(representation)) {
    return printListing(representation, output, false)
  }
  if (isMessage(representation) && start === 0) {
    const { articlePage } = await import('../views/article.ts')
    return output.write(await articlePage(representation))
  }
  let text: TerminalText | undefined
  for await (const chunk of withBeginning(octetsFrom(representation, start), saysCharsetWithin(representation))) {
    const charset = text ? null : charsetOf(chunk, representation)
    // Every other octet of UTF-16 may be 0.
    if (!text && chunk.includes(0) && !charset?.startsWith('utf-16')) {
      const advice = 'save it by -o FILE or -O, or force it by -o -'
      throw writeFailed('The terminal', `the body is binary (${representation.mediaType ?? 'unknown type'}); ${advice}`)
    }
    text ??= new TerminalText(charset)
    await output.write(text.show(chunk))
  }
  if (text) await output.write(text.end())
}

/** Octets that may be needed to know what charset a text says of itself: a byte order mark, or a tag of HTML or XML. */
function saysCharsetWithin({ mediaType }: Representation): number {
  return /html$|xml$/.test(mediaType ?? '') ? 1024 : 3
}

/** The same octets, of which the first chunk has that many at least, unless all have fewer. */
async function* withBeginning(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let beginning: Uint8Array | undefined = new Uint8Array(0)
  for await (const chunk of chunks) {
    if (beginning === undefined) yield chunk
    else {
      beginning = beginning.length === 0 ? chunk : Buffer.concat([beginning, chunk])
      if (beginning.length < length) continue
      yield beginning
      beginning = undefined
    }
  }
  if (beginning !== undefined && beginning.length > 0) yield beginning
}
