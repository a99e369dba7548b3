import type { Run } from '../run.ts'
import type { Destination } from '../saving/destination.ts'
import { jsonLine, withoutSecrets } from '../terminal/output.ts'
import { type Done, type Result, resultOf } from './result.ts'

/** Writes what --json or --sha256 tells of a URL. */
export async function writeResult(done: Done, destination: Destination, run: Run): Promise<void> {
  const result = resultOf(done)
  const line = run.config.json ? jsonLine(withoutSecrets(result)) : sumLine(result)
  if (line === null) return
  if (isBodyOnStdout(destination, run)) run.output.prompt(line)
  else await run.output.write(line)
}

/** Whether standard output is the body's: then the result goes to standard error. */
function isBodyOnStdout({ to }: Destination, { config }: Run): boolean {
  return to === 'stdout' && (config.parts === null || config.parts.attachmentsTo === null)
}

/** The line of --sha256, in the format of sha256sum; a name with a line break or a backslash is escaped as there. */
function sumLine({ sha256, file }: Result): string | null {
  if (sha256 === null) return null
  const name = file ?? '-'
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`
}
