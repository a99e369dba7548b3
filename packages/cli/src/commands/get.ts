import { usageError } from '../exit-codes.ts'
import { Exits } from '../many/exits.ts'
import { retrieveInTurn } from '../many/serial.ts'
import type { Run } from '../run.ts'
import { checkEtagFile } from '../saving/etag.ts'
import { Session } from '../session.ts'

/** `retrieve [get] URL...`: the bodies to standard output, in the order of the URLs, or to files. */
export async function get(run: Run): Promise<number> {
  const { operands, etagFile, damagedEtagFile, many } = run.config
  if (operands.length === 0) throw usageError('No URL is given. Try: retrieve get --help')
  if (etagFile !== null) checkEtagFile(etagFile)
  if (damagedEtagFile !== null) {
    run.report.warning({ message: `--etag-compare ${damagedEtagFile} holds no entity tag, and is ignored.` })
  }
  const exits = new Exits()
  await using session = new Session(run)
  if (many.concurrency > 1 && operands.length > 1) {
    const { retrieveInParallel } = await import('../many/parallel.ts')
    await retrieveInParallel(operands, session, exits)
  } else await retrieveInTurn(operands, session, exits)
  return exits.code
}
