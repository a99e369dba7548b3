import { accessSync, constants, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Representation } from '@retriever/fetchers'
import type { PartOptions } from '../options/protocols/news.ts'
import type { Retrieval } from '../retrieval.ts'
import { eachUrl, type Run } from '../run.ts'
import { octetsFrom } from '../saving/continuation.ts'
import { checkTarget, type Destination, tryFile } from '../saving/destination.ts'
import { checkEtagFile, saveEtag } from '../saving/etag.ts'
import { KeptOctets } from '../saving/kept-octets.ts'
import { checkPlan, type FileDestination, nameFor, planSave, saveAsPlanned, withAdvice } from '../saving/save-plan.ts'
import { checkRedirect, checkStatus } from '../saving/status.ts'
import { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'
import { shownHead } from '../views/head.ts'
import { show } from '../views/show.ts'
import { Facts } from '../write-out/facts.ts'

/** One URL to get, and the objects that get it. */
interface Job {
  readonly retrieval: Retrieval
  readonly run: Run
  readonly kept: KeptOctets
}

/** `retrieve [get] URL...`: the bodies, in order, to standard output or to files. */
export async function get(run: Run): Promise<number> {
  const { destinations, etagFile, damagedEtagFile, continueAt, writeOut } = run.config
  if (etagFile !== null) checkEtagFile(etagFile)
  if (damagedEtagFile !== null) {
    run.report.warning({ message: `--etag-compare ${damagedEtagFile} holds no entity tag, and is ignored.` })
  }
  await using session = new Session(run)
  const keptOf: KeptOctets[] = []
  const getOne = async (operand: string, index: number): Promise<void> => {
    const destination = destinations[index] ?? { to: 'stdout', asIs: false }
    const kept = new KeptOctets(run.report, continueAt !== null)
    keptOf[index] = kept
    let facts = new Facts(session.servers)
    const tell = async (error: unknown): Promise<void> => {
      if (writeOut === null || run.signal.aborted || error instanceof StdoutClosed) return
      const { writeOutcome } = await import('../write-out/index.ts')
      await writeOutcome(writeOut, { operand, index, facts, error }, run)
    }
    try {
      const retrieval = session.open(operand)
      facts = retrieval.facts
      await getTo(destination, { retrieval, run, kept })
    } catch (error) {
      await tell(error)
      throw error
    }
    await tell(null)
  }
  return await eachUrl(run, getOne, async (operand, index) => keptOf[index]?.tell(operand))
}

async function getTo(destination: Destination, job: Job): Promise<void> {
  const { parts, createDirs } = job.run.config
  if (createDirs) makeFolder(destination)
  if (parts !== null) return partsTo(destination, parts, job)
  if (destination.to === 'stdout') return toStdout(destination.asIs, job)
  if (destination.to === 'remote-name' && destination.byServer) return toNamedByServer(destination.directory, job)
  return toFile(destination, job)
}

/** Makes the folder of a file, as curl does: for its owner, and for reading by the group. */
function makeFolder(destination: Destination): void {
  if (destination.to === 'stdout') return
  const folder = destination.to === 'file' ? dirname(destination.path) : destination.directory
  tryFile(folder, () => mkdirSync(folder, { recursive: true, mode: 0o750 }))
}

async function toStdout(asIs: boolean, { retrieval, run: { config, output } }: Job): Promise<void> {
  // Never 'end': readConfig allows `-C -` for files only.
  const start = Number(config.continueAt ?? 0)
  const isShown = output.stdoutIsTerminal && !asIs
  const writeHead = (head: Buffer): Promise<void> => output.write(isShown ? shownHead(head) : head)
  const beginning = retrieval.begin(!output.stdoutIsTerminal, start)
  await using representation = await beginning.catch(async (error) => {
    // As in curl, the header section of 404 is shown, and that of a redirect that is not followed.
    if (hasHead(config)) await writeHead(retrieval.heads.http)
    throw error
  })
  const head = headBefore(representation, retrieval, config)
  if (head !== null) await writeHead(head)
  checkRedirect(representation, config)
  if (!config.request.head) {
    if (isShown) await show(representation, start, output)
    else if (representation.offset >= start) await representation.writeTo((chunk) => output.write(chunk))
    else for await (const chunk of octetsFrom(representation, start)) await output.write(chunk)
  }
  checkStatus(representation, config)
  saveEtag(config.etagFile, representation)
}

function hasHead({ request, include }: Run['config']): boolean {
  return request.head === true || include
}

/** The head that -i and -I put before the body; null: none. */
function headBefore(representation: Representation, { heads }: Retrieval, config: Run['config']): Buffer | null {
  const isWanted = config.request.head === true || (config.include && representation.mechanism === 'http')
  return isWanted ? heads.of(representation) : null
}

async function toFile(destination: FileDestination, { retrieval, run, kept }: Job): Promise<void> {
  const plan = await planSave(destination, retrieval, run)
  retrieval.facts.file = plan.path
  kept.begin(plan, () => retrieval.entered)
  const check = (representation: Representation): void => {
    checkRedirect(representation, run.config)
    checkPlan(plan, representation)
  }
  try {
    await using representation = await retrieval.begin(true, plan.from, check)
    await saveAsPlanned(plan, representation, headBefore(representation, retrieval, run.config))
    kept.end()
    checkStatus(representation, run.config)
    saveEtag(run.config.etagFile, representation)
  } catch (error) {
    throw withAdvice(plan, error)
  }
}

/** Saves under the name that the server gives (-J), which is known once the response has come. */
async function toNamedByServer(directory: string, { retrieval, run, kept }: Job): Promise<void> {
  const { resolution } = retrieval
  await using representation = await retrieval.begin(true)
  const { givenName } = representation
  const path = join(directory, givenName ?? nameFor(resolution))
  retrieval.facts.file = path
  const plan = { path, from: 0, behind: null, options: { overwrite: false } }
  kept.begin(plan, () => retrieval.entered, true)
  await saveAsPlanned(plan, representation)
  kept.end()
  checkStatus(representation, run.config)
  const whose = givenName === null ? 'named after the URL: the server gives no usable name' : 'as the server names it'
  run.report.notice({ operand: resolution.url, message: `saved as ${path}, ${whose}` })
}

/** Saves parts for --part and --attachments. */
async function partsTo(destination: Destination, parts: PartOptions, { retrieval, run }: Job): Promise<void> {
  const folder = parts.attachmentsTo
  if (folder !== null) tryFile(folder, () => accessSync(folder, constants.W_OK))
  else if (destination.to === 'file') checkTarget(destination.path, true, true)
  await using representation = await retrieval.begin(false)
  const { getParts } = await import('../saving/message-parts.ts')
  await getParts(parts, representation, destination, run)
}
