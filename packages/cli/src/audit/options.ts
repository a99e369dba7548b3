import type { AuditClass, AuditOptions } from '@retriever/servers/audit'
import { usageError } from '../exit-codes.ts'
import { readSeconds } from '../options/numbers.ts'
import type { GivenOptions, OptionRow } from '../options/option.ts'

export type AuditOption = 'only' | 'schemes' | 'timeout'

/** The names of `auditClasses`, which are in a large module that the table of options must not load. */
const classes: Readonly<Record<AuditClass, true>> = {
  ordinary: true,
  framing: true,
  limits: true,
  redirect: true,
  secrets: true,
  names: true,
  terminal: true,
  time: true,
}
const classNames = Object.keys(classes) as AuditClass[]

const commands = ['audit'] as const

export const auditOptions: readonly OptionRow<AuditOption>[] = [
  {
    long: 'only',
    sent: false,
    arg: 'CLASS',
    values: () => classNames,
    help: 'Run only the scripts of this class; may be given several times',
    commands,
    example: 'retrieve audit --only redirect -- curl -sSfL -o {file} {url}',
  },
  {
    long: 'schemes',
    sent: false,
    arg: 'LIST',
    help: 'The protocols that COMMAND speaks, such as http,ftp; one that it then cannot retrieve counts as failed',
    commands,
    example: 'retrieve audit --schemes http,ftp -- wget -q --tries=1 -O {file} {url}',
  },
  {
    long: 'timeout',
    sent: false,
    arg: 'SECONDS',
    help: 'End COMMAND after so long, and count that as failed; default 30',
    commands,
    example: 'retrieve audit --timeout 10 -- curl -sSfL -m 5 -o {file} {url}',
  },
]

/** The command that audit runs, and how it runs it. */
export type AuditSettings = Pick<AuditOptions, 'command' | 'env' | 'classes' | 'schemes' | 'timeout'>

interface AuditLine extends GivenOptions<AuditOption> {
  readonly program: readonly string[] | null
}

/** Reads the options of audit and the command behind `--`. Throws `invalid-option`. */
export function readAudit(line: AuditLine, env: NodeJS.ProcessEnv): AuditSettings {
  const { program } = line
  if (!program?.[0] || line.operands.length > 0) {
    throw usageError('audit needs a command behind --, as in: retrieve audit -- curl -sSfL -m 5 -o {file} {url}')
  }
  if (!program.some((word) => word.includes('{url}'))) throw usageError('The command of audit needs {url}.')
  const only = line.values('only').map((text) => readClass(text))
  const schemes = line.value('schemes')?.toLowerCase().split(',').filter(Boolean)
  const timeout = readTimeout(line.value('timeout'))
  return {
    command: program,
    env,
    ...(only.length > 0 && { classes: only }),
    ...(schemes && { schemes }),
    ...(timeout !== undefined && { timeout }),
  }
}

/** The milliseconds of --timeout. None at all would end each run before it began. */
function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = readSeconds('timeout', text)
  if (seconds > 0) return 1000 * seconds
  throw usageError('--timeout needs more than 0 seconds, since a client without a limit could hold the audit for ever.')
}

function readClass(text: string): AuditClass {
  const found = classNames.find((name) => name === text.toLowerCase())
  if (found !== undefined) return found
  throw usageError(`--only needs one of ${classNames.join(', ')}, not ${JSON.stringify(text)}.`)
}
