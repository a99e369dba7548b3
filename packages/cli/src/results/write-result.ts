import type { Run } from '../run.ts'
import { jsonLine, withoutSecrets } from '../terminal/output.ts'
import { type Done, type Result, resultOf } from './result.ts'

/** Writes what --json or --sha256 tells about a URL, to standard error if the body goes to standard output. */
export async function writeResult(done: Done, bodyOnStdout: boolean, run: Run): Promise<void> {
  const result = resultOf(done)
  const line = run.config.json ? jsonLine(withoutSecrets(result)) : sumLine(result)
  if (line === null) return
  if (bodyOnStdout) run.output.writeError(line)
  else await run.output.write(line)
}

/** The line of --sha256, in the format of sha256sum, which also escapes a name with a line break or a backslash. */
function sumLine({ sha256, file }: Result): string | null {
  if (sha256 === null) return null
  const name = file ?? '-'
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`
}
