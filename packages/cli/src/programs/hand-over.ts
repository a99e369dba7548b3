import { type Resolution, RetrievalError } from '@retriever/core'
import { type HandoffProgram, shellCommand } from '@retriever/core/internal'
import type { Handoff } from '@retriever/fetchers'
import { systemReason } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import type { Entries } from '../many/entries.ts'
import { shownFinding } from '../options/option-hints.ts'
import { loginAdvice } from '../service/login-advice.ts'
import type { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'
import { findProgram } from './find-program.ts'
import { runProgram } from './run-program.ts'

/**
 * Hands URLs to programs of this system, one after another. Each program is printed, then runs with our terminal until
 * it ends. Resolves to the first exit status that is not 0, of a program or of an error.
 */
export async function handOver(entries: Entries, session: Session): Promise<number> {
  const { config, report, signal } = session.run
  if (config.targets.destinations.some(({ to }) => to !== 'stdout')) {
    throw usageError('A URL that another program opens is not saved: leave -o and -O out.')
  }
  let exit = 0
  for await (const { operand, index } of entries) {
    if (exit !== 0 && config.many.failEarly) break
    try {
      const status = await handOverOne(session.open(operand, index).entered, session)
      exit ||= status
    } catch (error) {
      if (signal.aborted || error instanceof StdoutClosed) throw error
      const status = report.error(error)
      exit ||= status
    }
  }
  return exit
}

/**
 * Programs that only start another one by the desktop's settings. If they fail, they print the complaints of every
 * program that they tried.
 */
const desktopPrograms: ReadonlySet<string> = new Set(['xdg-open', 'gio', 'open'])

async function handOverOne(resolution: Resolution, { client, run }: Session): Promise<number> {
  const { config, output, report } = run
  const { linkedFrom } = config.request
  for (const finding of resolution.findings) {
    if (finding.severity === 'warning') report.warning({ ...shownFinding(finding) })
  }
  const handoff = client.handoff(resolution, linkedFrom === undefined ? {} : { linkedFrom })
  const env = config.programEnvironment()
  const { program, path, args } = installed(handoff, resolution, env)
  if (handoff.password != null) {
    // A person gets the advice on the login, as in our own session. If this is no terminal, it may be a log.
    const isForPerson = resolution.plan.mechanism === 'telnet' && output.stderrIsTerminal && !config.json
    const advice = isForPerson ? `${loginAdvice(resolution, handoff.user)} ` : ''
    const message = 'The password of the URL is given to no program: type it when you are asked.'
    report.notice({ operand: resolution.url, message: `${advice}${message}` })
  }
  const { service, host, port, user } = handoff
  if (config.json) output.noteJson({ handoff: { url: resolution.url, service, host, port, user, program, args } })
  else output.note(`retrieve: running: ${shellCommand([program, ...args])}`)
  const isQuiet = desktopPrograms.has(program)
  try {
    const status = await runProgram({ name: path, args, env, isQuiet }, run)
    if (isQuiet && status !== 0 && !run.signal.aborted) report.error(notOpened(resolution, program, status))
    return status
  } catch (cause) {
    if (run.signal.aborted) throw cause
    const why = systemReason(cause) ?? (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw new RetrievalError('handoff', `${path} cannot be run: ${why}.`, {
      phase: 'resolve',
      url: resolution.url,
      cause,
    })
  }
}

function notOpened({ url, scheme }: Resolution, program: string, status: number): RetrievalError {
  const what = `No program of this desktop opened it (exit status ${status} of ${program}).`
  const hint = scheme.hint ?? `Install a program for ${scheme.name} URLs, or choose one in the settings of the desktop.`
  return new RetrievalError('handoff', `${what} ${hint}`, { phase: 'resolve', url })
}

/** The first program of a handoff that this system has, with the arguments that tell the program the user. */
function installed(handoff: Handoff, { url }: Resolution, env: NodeJS.ProcessEnv) {
  const programs: readonly HandoffProgram[] = [handoff, ...(handoff.alternatives ?? [])]
  for (const { program, args, argsWithUser = args } of programs) {
    const path = findProgram(program, env)
    if (path !== null) return { program, path, args: argsWithUser }
  }
  const [first = '', ...others] = programs.map(({ program }) => program)
  const what = others.length === 0 ? `${first} is not` : `Neither ${first} nor ${others.join(' nor ')} is`
  const advice = handoff.install === undefined ? '' : ` Install ${handoff.install}, or what your system calls it.`
  throw new RetrievalError('handoff', `${what} installed.${advice}`, { phase: 'resolve', url })
}
