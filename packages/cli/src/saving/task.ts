import { accessSync, constants, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Representation, safeFileName } from '@retriever/fetchers'
import { holdFifo, makeFolders, type WholePart } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import type { Account } from '../journal/ledger.ts'
import { endsInIndex, placeOf } from '../many/place.ts'
import type { PartOptions } from '../options/protocols/news.ts'
import type { Beginning, Retrieval } from '../retrieval.ts'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'
import { shownHead } from '../views/head.ts'
import { tellSaved } from '../views/saved.ts'
import { isPage, isText, show, showPage } from '../views/show.ts'
import { checkSum, expectedSum } from './checksum.ts'
import { octetsFrom } from './continuation.ts'
import { checkTarget, type Destination, tryFile } from './destination.ts'
import { saveEtag } from './etag.ts'
import { findIndex, indexPath } from './index-name.ts'
import { startOfLdif } from './joined-ldif.ts'
import type { KeptOctets } from './kept-octets.ts'
import {
  checkPlan,
  type FileDestination,
  nameFor,
  planSave,
  type SavePlan,
  saveAsPlanned,
  whyMoved,
  whyRenamed,
  withAdvice,
} from './save-plan.ts'
import { checkRedirect, checkStatus } from './status.ts'

/** One URL to get, and the objects that get it. */
interface Job {
  readonly retrieval: Retrieval
  readonly session: Session
  /** The name of the file, if a list gives one. */
  readonly name: string | null
  readonly kept: KeptOctets
  /** What the journal is told; null without one. */
  readonly account: Account | null
}

/** How one URL is retrieved, and what happens to its body. Making a task contacts no server. */
export interface Task extends Beginning {
  /** Writes the body to its destination. */
  use(representation: Representation): Promise<void>
  /** Resolves to the error of the retrieval or of use(), with advice added. */
  explain?(error: unknown): Promise<unknown>
  /** Releases what the task holds. */
  end?(): Promise<void>
}

/**
 * Makes the task; null if the file exists and --skip-existing is given. Rejects if the destination cannot be written.
 */
export async function taskFor(destination: Destination, job: Job): Promise<Task | null> {
  const { parts, createDirs, many } = job.session.run.config
  // As in curl, the owner of such a folder has all rights, and the group may read it.
  if (createDirs) makeFolder(destination, 0o750, job.session)
  else if (many.from.length > 0 && destination.to === 'remote-name') makeFolder(destination, 0o777, job.session)
  if (parts !== null) return partsTo(destination, parts, job)
  if (destination.to === 'stdout') return toStdout(destination.asIs, job)
  if (destination.to === 'remote-name' && destination.byServer) return toNamedByServer(destination.directory, job)
  return toFile(destination, job)
}

/** Makes the folder of a file, unless it is that of the file before. */
function makeFolder(destination: Destination, mode: number, session: Session): void {
  if (destination.to === 'stdout') return
  const folder = destination.to === 'file' ? dirname(destination.path) : destination.directory
  if (folder === session.madeFolder) return
  tryFile(folder, () => makeFolders(folder, mode))
  session.madeFolder = folder
}

function toStdout(asIs: boolean, { retrieval, session }: Job): Task {
  const { run } = session
  const { config, output } = run
  // The value is never 'end', since readConfig allows `-C -` only for files.
  const continued = Number(config.continueAt ?? 0)
  const isShown = output.stdoutIsTerminal && !asIs
  const writeHead = (head: Buffer): Promise<void> => output.write(isShown ? shownHead(head) : head)
  const expected = expectedSum(config.hashes, retrieval, null)
  let hasCome = false
  const use = async (representation: Representation): Promise<void> => {
    hasCome = true
    const hash = expected && representation.hash(expected.algorithm)
    const head = headBefore(representation, retrieval, config)
    if (head !== null) await writeHead(head)
    checkRedirect(representation, config)
    if (!config.request.head) {
      const isListed = (isShown || config.page) && isPage(representation)
      const start = continued || (isListed ? 0 : startOfLdif(representation, session))
      if (continued === 0 && isText(representation, config)) {
        await (await import('../views/text-page.ts')).printText(representation, run)
      } else if (isShown) await show(representation, start, run)
      else if (isListed) await showPage(representation, run)
      else if (representation.offset >= start) await representation.writeTo((chunk) => output.write(chunk))
      else for await (const chunk of octetsFrom(representation, start)) await output.write(chunk)
    }
    checkStatus(representation, config)
    if (expected !== null && hash !== null) checkSum(expected, hash, representation.url)
    saveEtag(config.etagFile, representation)
  }
  const explain = async (error: unknown): Promise<unknown> => {
    // As in curl, the header section of a 404 is shown, and so is that of a redirect that is not followed.
    if (!hasCome && (config.request.head === true || config.include)) await writeHead(retrieval.heads.http)
    return error
  }
  const usePaged = async (representation: Representation): Promise<void> => {
    const { paged } = await import('../terminal/pager.ts')
    return paged(run, () => use(representation))
  }
  return {
    progress: !output.stdoutIsTerminal,
    from: continued,
    use: isShown && (config.page || config.text) ? usePaged : use,
    explain,
  }
}

/** The head that -i and -I put before the body; null if there is none. */
function headBefore(representation: Representation, { heads }: Retrieval, config: Run['config']): Buffer | null {
  const isWanted = config.request.head === true || (config.include && representation.mechanism === 'http')
  return isWanted ? heads.of(representation) : null
}

async function toFile(
  destination: FileDestination,
  { retrieval, session, name, kept, account }: Job,
): Promise<Task | null> {
  const { run, names } = session
  const isNamed = destination.to === 'file'
  const { resolution } = retrieval
  const { clobber, many } = run.config
  const place = isNamed ? '' : name === null ? placeOf(run.config.places.layout, resolution) : checkName(name)
  const isFlat = run.config.places.layout === 'flat'
  const wanted = isNamed ? destination.path : join(destination.directory, place)
  const avoidsFiles = clobber === false && !many.skipExisting
  // As in curl, -o overwrites what another -o with the same name wrote.
  const claimed = (): string => {
    if (isNamed) return avoidsFiles ? names.claim(wanted, true) : wanted
    return names.claimPlace(destination.directory, place, avoidsFiles)
  }
  const isIndex = !isNamed && name === null && endsInIndex(run.config.places.layout, resolution)
  const path = account?.file ?? claimed()
  const isOurs = account?.isOurs ?? false
  const there = many.skipExisting && !isOurs && isIndex ? (findIndex(path) ?? path) : path
  retrieval.facts.file = there
  if (many.skipExisting && !isOurs && lstatSync(there, { throwIfNoEntry: false })) return null
  const planned = await planSave(path, isNamed, retrieval, run, {
    isOurs,
    resumes: account?.isKept ?? false,
    makesFolders: place.includes('/'),
  })
  const fifo = planned.options.special === true ? await holdFifo(path) : null
  kept.begin(planned, () => retrieval.entered)
  /** The plan with the name that the media type gives to the index of a folder. */
  const planFor = (mediaType: string | null): SavePlan => {
    const typed = indexPath(path, mediaType)
    if (!isIndex || isOurs || planned.from !== 0 || typed === path) return planned
    const plan = { ...planned, path: names.claim(typed, avoidsFiles) }
    retrieval.facts.file = plan.path
    kept.begin(plan, () => retrieval.entered)
    return plan
  }
  const use = async (representation: Representation): Promise<void> => {
    const plan = planFor(representation.mediaType)
    const { path } = plan
    if (plan.isUnverified === true && representation.offset > 0 && representation.size !== 0) {
      const message = `appended to ${path}, without proof that both parts are of one version`
      run.report.notice({ operand: retrieval.resolution.url, message })
    }
    const head = headBefore(representation, retrieval, run.config)
    const saved = await saveAsPlanned(noted(plan, representation, head, account), representation, head)
    retrieval.facts.size = saved.size
    kept.end()
    checkStatus(representation, run.config)
    const moved = (): string | null => whyMoved(isIndex ? indexPath(wanted, representation.mediaType) : wanted, path)
    const why = name !== null || isNamed ? null : isFlat ? whyRenamed(resolution, path, place) : moved()
    tellName(path, representation, why, retrieval, run)
    saveEtag(run.config.etagFile, representation)
  }
  return {
    progress: true,
    from: planned.from,
    anew: planned.anew ?? null,
    check: (representation) => {
      checkRedirect(representation, run.config)
      checkPlan(planned, representation)
    },
    use,
    explain: async (error) => withAdvice(planned, error),
    end: async () => fifo?.close(),
  }
}

/** The plan with the line of the journal, which is written before the file gets its name. */
function noted(plan: SavePlan, representation: Representation, head: Buffer | null, account: Account | null): SavePlan {
  if (!account?.isKept) return plan
  // The sum of a body is not that of a file with a head.
  const hash = head === null ? representation.hash('sha256') : null
  const beforeName = (whole: WholePart): Promise<void> => account.beforeName(whole, hash?.hex() ?? null)
  return { ...plan, options: { ...plan.options, beforeName } }
}

/** Throws `invalid-option` if a list gives a name that leads out of the folder. It may be in folders: `a/b.txt`. */
function checkName(name: string): string {
  if (name.split('/').every((segment) => safeFileName(segment, { dotFiles: true }) === segment)) return name
  throw usageError(`The list gives a file the name ${JSON.stringify(name)}, which is no plain file name.`)
}

/** Saves under the name that the server gives (-J). That name is known once the response has come. */
function toNamedByServer(directory: string, { retrieval, session, name, kept, account }: Job): Task {
  const { run, names } = session
  const use = async (representation: Representation): Promise<void> => {
    const { resolution } = retrieval
    const { givenName } = representation
    const { clobber } = run.config
    const wanted = join(directory, name === null ? (givenName ?? nameFor(resolution)) : checkName(name))
    const path = account?.file ?? names.claim(wanted, clobber === false)
    retrieval.facts.file = path
    const checksum = expectedSum(run.config.hashes, retrieval, path)
    const options = {
      overwrite: clobber === true || account?.isOurs === true,
      dated: run.config.remoteTime,
      ...(checksum && { checksum }),
    }
    const plan = { path, from: 0, behind: null, options }
    kept.begin(plan, () => retrieval.entered, true)
    const head = headBefore(representation, retrieval, run.config)
    const saved = await saveAsPlanned(noted(plan, representation, head, account), representation, head)
    retrieval.facts.size = saved.size
    kept.end()
    checkStatus(representation, run.config)
    tellName(path, representation, name === null ? whoseName(representation) : null, retrieval, run)
  }
  return { progress: true, use }
}

/** The most characters of a server's name that a message quotes. */
const maxQuoted = 200

/** Says who named a file of -J, and which name the server gave if that is not safe. */
function whoseName({ givenName, writtenName }: Representation): string {
  if (givenName === null) return 'named after the URL: the server gives no usable name'
  if (writtenName === null || writtenName.normalize('NFC') === givenName) return 'as the server names it'
  const quoted = JSON.stringify(writtenName.slice(0, maxQuoted))
  return `since the server's name for it, ${quoted}, is no safe name for a file`
}

/** Tells a person that the file is saved, and tells everybody why it has a name that nobody asked for. */
function tellName(
  path: string,
  representation: Representation,
  why: string | null,
  { resolution, facts }: Retrieval,
  run: Run,
): void {
  if ((why !== null || !run.config.many.isCounted) && tellSaved(path, representation, facts, run, why)) return
  if (why !== null) run.report.notice({ operand: resolution.url, message: `saved as ${path}, ${why}` })
}

/** Saves the parts that --part and --attachments ask for. */
function partsTo(destination: Destination, parts: PartOptions, { session }: Job): Task {
  const folder = parts.attachmentsTo
  if (folder !== null) tryFile(folder, () => accessSync(folder, constants.W_OK))
  else if (destination.to === 'file') checkTarget(destination.path, true, true)
  const use = async (representation: Representation): Promise<void> => {
    const { getParts } = await import('./message-parts.ts')
    await getParts(parts, representation, destination, session.run)
  }
  return { use }
}
