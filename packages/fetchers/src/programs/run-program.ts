import { spawn } from 'node:child_process'
import { parse } from 'node:path'
import { octetsToText, printable, type RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../contract/fetcher.ts'
import { systemReason } from '../kit/system-reason.ts'
import { programEnvironment } from './environment.ts'

/** A program of this system and its arguments. */
export interface Program {
  /** The name, which is looked up in PATH: `man`. */
  readonly name: string
  /** The arguments, passed unchanged without a shell. One that comes from a URL must stand where no option can. */
  readonly args: readonly string[]
  /** Variables in addition to those of programEnvironment(). */
  readonly variables?: Readonly<Record<string, string>>
  /** The package to install if the program is missing: `man-db`. */
  readonly packageName: string
}

/** The end of a program, and its output. */
export interface ProgramOutput {
  /** The exit status. Null if a signal ended the program. */
  readonly status: number | null
  readonly stdout: Buffer
  /** The first words of its standard error, safe to show. "" if it wrote nothing there. */
  readonly complaint: string
}

/** How many octets of standard error are kept. */
const maxComplaint = 2048

/**
 * Runs a program of this system to its end. It runs in the root folder, so that no file of the current folder can
 * influence it. When the deadline ends, the program and its children are killed. Rejects with `no-fetcher` if the
 * program is missing, `file-failed` if it cannot be started, and `limit-exceeded` if it writes more than
 * limits.maxCollected.
 */
export function runProgram(program: Program, context: RetrievalContext): Promise<ProgramOutput> {
  const { name, packageName } = program
  return context.deadline
    .within('request', () => run(program, context))
    .catch((cause: NodeJS.ErrnoException) => {
      // Node's permission model refuses before there is a process.
      throw cause.code === 'ERR_ACCESS_DENIED' ? notStarted(name, packageName, cause, context) : cause
    })
}

function run({ name, args, variables, packageName }: Program, context: RetrievalContext): Promise<ProgramOutput> {
  const { deadline, limits } = context
  const { maxCollected } = limits
  return new Promise((resolve, reject) => {
    const isGroup = process.platform !== 'win32'
    const child = spawn(name, args, {
      cwd: parse(process.cwd()).root,
      env: { ...programEnvironment(process.env), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      // Own process group: kills man's children too.
      detached: isGroup,
    })
    const kill = (): void => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killAll(child.pid, isGroup)
    }
    const forget = deadline.onAbort(kill)
    const stdout: Buffer[] = []
    let length = 0
    let complaint = Buffer.alloc(0)
    let failure: RetrievalError | null = null
    const settle = (status: number | null): void => {
      forget()
      if (failure !== null) reject(failure)
      else resolve({ status, stdout: Buffer.concat(stdout, length), complaint: wordsOf(complaint) })
    }
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxCollected) stdout.push(chunk)
      else if (failure === null) {
        failure = tooMuch(name, context)
        kill()
      }
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < maxComplaint) complaint = Buffer.concat([complaint, chunk]).subarray(0, maxComplaint)
    })
    child.on('error', (cause) => {
      failure ??= notStarted(name, packageName, cause, context)
      // If no process was started, Node emits no `close`.
      if (child.pid === undefined) settle(null)
    })
    child.on('close', (status) => settle(status))
  })
}

/** Kills a process and its group, which may already have ended. */
function killAll(pid: number, isGroup: boolean): void {
  try {
    process.kill(isGroup ? -pid : pid, 'SIGKILL')
  } catch {}
}

function wordsOf(octets: Buffer): string {
  const lines = octetsToText(octets.toString('latin1')).trim().split(/\r?\n/)
  return printable(lines.slice(0, 3).join(' '))
}

function tooMuch(name: string, { limits, error }: RetrievalContext): RetrievalError {
  const advice = { option: 'limits.maxCollected' } as const
  const limit = `${limits.maxCollected} is ${adviceText(advice)}`
  const message = `The program ${name} wrote too many octets: ${limit}.`
  return error('limit-exceeded', message, { phase: 'body', advice })
}

function notStarted(name: string, packageName: string, cause: Error, { error }: RetrievalContext): RetrievalError {
  const code = 'code' in cause ? String(cause.code) : cause.message
  if (code !== 'ENOENT') {
    const reason = systemReason(cause) ?? code
    return error('file-failed', `The program ${name} could not be started (${reason}).`, { cause })
  }
  const message = `The program ${name} is not installed on this machine. Install it: the package ${packageName} has it.`
  return error('no-fetcher', message, { phase: 'resolve', cause })
}
