import type { FtpPlan } from '@retriever/core/internal'
import type { RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import { octetsDecoder } from '../../../kit/text/text.ts'
import { linesOf } from '../../../wire/framing/lines.ts'
import { type ListingFormat, readEntries } from './entries.ts'

/** The entries of a listing that was kept without the command that had brought it: its lines tell the format. */
export function keptEntries({ name }: FtpPlan, context: RetrievalContext): NonNullable<Retrieved['entries']> {
  return async function* (octets) {
    const lines = linesOf(octets, context)
    const first: string[] = []
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      first.push(next.value)
      if (next.value.trim() !== '') break
    }
    const decode = octetsDecoder(context.request.charset)
    yield* readEntries(continued(first, lines), formatOf(first.at(-1) ?? ''), { url: context.url, name, decode })
  }
}

/** MLSD has a fact first (RFC 3659 7.2), LIST a mode, a date, a number or a remark; NLST has a name alone. */
function formatOf(line: string): ListingFormat {
  if (/^(?:[\w.-]+=[^;]*;)+[ \t]/.test(line)) return 'mlsd'
  return /^(?:[-a-z](?:[-a-zA-Z]{9}|[^ ]{9}[.+@]?) |total:? [\d.,]+[KMGT]?[ \t]*$|\+|\d\d[-/]\d\d[-/]\d\d|\S+;\d+ )/.test(
    line,
  )
    ? 'list'
    : 'nlst'
}

async function* continued(first: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* first
  yield* rest
}
