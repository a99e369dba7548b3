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
import { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'
import { headOf, shownHead } from '../views/head.ts'
import { tellSaved } from '../views/saved.ts'
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
  await using representation = await retrieval.begin(!output.stdoutIsTerminal, start)
  const isShown = output.stdoutIsTerminal && !asIs
  if (config.request.head || (config.include && representation.mechanism === 'http')) {
    const head = headOf(representation, retrieval.statusLine)
    await output.write(isShown ? shownHead(head) : head)
  }
  if (!config.request.head) {
    if (isShown) await show(representation, start, output)
    else if (representation.offset >= start) await representation.writeTo((chunk) => output.write(chunk))
    else for await (const chunk of octetsFrom(representation, start)) await output.write(chunk)
  }
  saveEtag(config.etagFile, representation)
}

async function toFile(destination: FileDestination, { retrieval, run, kept }: Job): Promise<void> {
  const plan = await planSave(destination, retrieval, run)
  retrieval.facts.file = plan.path
  kept.begin(plan, () => retrieval.entered)
  const check = (representation: Representation): void => checkPlan(plan, representation)
  try {
    await using representation = await retrieval.begin(true, plan.from, check)
    await saveAsPlanned(plan, representation)
    kept.end()
    tellSaved(plan.path, representation, retrieval.facts, run)
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
  const whose = givenName === null ? 'named after the URL: the server gives no usable name' : 'as the server names it'
  if (tellSaved(path, representation, retrieval.facts, run, whose)) return
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
