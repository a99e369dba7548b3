import { type AuditVerdict, audit, auditSchemes } from '@retriever/servers/audit'
import { card, scoreOf } from '../audit/card.ts'
import { usageError } from '../exit-codes.ts'
import { notStarted } from '../programs/not-started.ts'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'

/**
 * `retrieve audit -- COMMAND`: runs a client against hostile servers, and prints how many scripts of each class it has
 * passed. Returns 0 only if it has failed none, and passed some.
 */
export async function auditClient({ config, output, signal }: Run): Promise<number> {
  if (config.audit === null) throw usageError('Nothing says what to audit.')
  const unknown = config.audit.schemes?.find((scheme) => !auditSchemes.some((each) => each === scheme))
  if (unknown !== undefined)
    throw usageError(`--schemes needs some of ${auditSchemes.join(', ')}, not ${JSON.stringify(unknown)}.`)
  let ended = 0
  const onVerdict = async (verdict: AuditVerdict): Promise<void> => {
    output.status(`${++ended} scripts, now: ${verdict.name}`.slice(0, output.stderrColumns - 1))
    if (config.json) await output.write(jsonLine(verdict))
  }
  const verdicts = await run({ ...config.audit, signal, onVerdict })
  output.status('')
  const score = scoreOf(verdicts)
  await output.write(config.json ? jsonLine({ score }) : card(verdicts, output.stdoutIsTerminal ? output.columns : 80))
  return score.all?.failed === 0 && score.all.passed > 0 ? 0 : 1
}

async function run(options: Parameters<typeof audit>[0]): Promise<AuditVerdict[]> {
  try {
    return await audit(options)
  } catch (error) {
    const { code, syscall = '' } = error as NodeJS.ErrnoException
    if (!syscall.startsWith('spawn')) throw error
    throw notStarted(options.command[0], code)
  }
}
