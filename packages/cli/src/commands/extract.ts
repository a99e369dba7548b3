import { type ExtractedUrl, extractUrls, printable } from '@retriever/core'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'
import { readText } from '../text-file.ts'

/** The number of characters that are printed at once. */
const batch = 64 * 1024

/** `retrieve extract [FILE|-]`: prints the URLs of a text, in order. Malformed URLs are reported on standard error. */
export async function extract({ config, output, report, signal }: Run): Promise<number> {
  const [file = '-', ...others] = config.operands
  if (others.length > 0) throw usageError('extract reads one file. To read several: cat FILE... | retrieve extract')
  let lines = ''
  for (const found of extractUrls(await readText(file, signal))) {
    if (config.json) lines += jsonLine(record(found))
    else if (found.error === null) lines += `${printable(found.url)}\n`
    else report.notice({ operand: `Characters ${found.span.join(' to ')}`, message: found.error })
    if (lines.length < batch) continue
    await output.write(lines)
    lines = ''
  }
  if (lines !== '') await output.write(lines)
  return 0
}

/** Spans count UTF-16 code units, like JavaScript strings and the spans of `explain --json`. */
function record({ url, alternates, span, form, error }: ExtractedUrl): Record<string, unknown> {
  return { url, alternates, span, form, error }
}
