import type { AccessPlans } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { describedPages, entriesOfLines } from '../../programs/descriptions.ts'
import { localesOf } from '../../programs/locales.ts'
import { plainText } from '../../programs/plain-text.ts'
import { runProgram } from '../../programs/run-program.ts'
import { textResult } from '../../programs/text-result.ts'
import { man } from './about.ts'

/**
 * Makes a fetcher for manual pages (uri(7)). The program `man` formats them as text. If the URL names no page, it gives
 * the list of all pages from `apropos`.
 */
export function manFetcher(): Fetcher<'man'> {
  return {
    ...man,
    retrieve: async (plan, context) =>
      plan.page === null ? retrieveIndex(context) : retrievePage({ ...plan, page: plan.page }, context),
  }
}

async function retrieveIndex(context: RetrievalContext): Promise<Retrieved<'man'>> {
  const lines = await describedPages('.', context)
  if (lines === null) {
    throw context.error('not-found', 'The list of manual pages is empty; on most systems the program mandb makes it.')
  }
  return textResult(`${lines.join('\n')}\n`, context, { kind: 'listing', metadata: {}, entries: entriesOfLines })
}

/**
 * Options of man-db that stop it from dividing words and filling up lines: a hyphen at the end of a line would spoil
 * URLs and names of options. The man of other systems ignores the variable MANOPT.
 */
const layout = '--no-hyphenation --no-justification'

/** The exit statuses for a system error: 2 and 3 of man-db, 6 of mandoc. Others mean that there is no page. */
const failed: ReadonlySet<number | null> = new Set([null, 2, 3, 6])

async function retrievePage(
  { page, section }: AccessPlans['man'] & { readonly page: string },
  context: RetrievalContext,
): Promise<Retrieved<'man'>> {
  // After `--`, no name is an option. A name has no slash, so that man looks for it only among the pages (case 7).
  const args = ['--', ...(section === null ? [] : [section]), page]
  const languages = localesOf(context.request.acceptLanguage)
  const variables = { MANOPT: layout, ...(languages !== null && { LANGUAGE: languages }) }
  const { status, stdout, complaint } = await runProgram(
    { name: 'man', args, variables, packageName: 'man-db' },
    context,
  )
  const text = plainText(stdout)
  if (status === 0 && text.trim() !== '') return textResult(text, context, { kind: 'object', metadata: {} })
  const reply = complaint === '' ? {} : { reply: complaint }
  if (failed.has(status)) throw context.error('file-failed', `The program man failed. ${complaint}`.trim(), reply)
  const place = section === null ? '' : ` in section ${section}`
  const message = `This machine has no manual page "${page}"${place}. Search for it by whatis:WORD.`
  throw context.error('not-found', message, reply)
}
