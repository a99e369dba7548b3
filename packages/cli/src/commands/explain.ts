import { type ErrorCode, type Explanation, errorCodes, explain, RetrievalError, redact, resolve } from '@retriever/core'
import { usageError } from '../exit-codes.ts'
import { shownExplanation } from '../options/option-hints.ts'
import { searchUrl } from '../options/protocols/gopher.ts'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'
import { urlArgument } from '../url-argument.ts'
import { explanationPage } from '../views/explanation.ts'

/** `retrieve explain URL...`: contacts nothing. The exit code is that of the first URL that is an error. */
export async function explainUrls(run: Run): Promise<number> {
  const { config, output } = run
  if (config.operands.length === 0) throw usageError('No URL is given. Try: retrieve explain --help')
  let exit = 0
  for (const [index, operand] of config.operands.entries()) {
    const explanation = shownExplanation(explained(operand, run))
    if ('error' in explanation) exit ||= errorCodes[explanation.error.code as ErrorCode].exit
    if (!config.json && index > 0) await output.write('\n')
    await output.write(config.json ? jsonLine(explanation) : explanationPage(explanation, output))
  }
  return exit
}

function explained(operand: string, { config, report }: Run): Explanation {
  const { resolving, search, defaultScheme } = config
  try {
    const url = urlArgument(operand, { base: resolving.base, defaultScheme }, report)
    return explain(search === null ? url : searchUrl(resolve(url, resolving), search), resolving)
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    const { code, message, span = null, advice } = error
    return { url: redact(operand), error: { code, message: redact(message), span, ...(advice && { advice }) } }
  }
}
