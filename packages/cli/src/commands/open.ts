import { completeUrl, redact } from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { toStandardOutput, withUrls } from '../saving/destination.ts'
import { entryOf, type LastPage, lastPage } from '../views/last-page.ts'

/**
 * `retrieve open [N...]`: retrieves entries of the last page by their numbers, or shows the page again if no number is
 * given. `retrieve open URL...` hands URLs to programs of this system, as a desktop does.
 */
export async function open(run: Run): Promise<number> {
  const { config } = run
  const urls = config.operands.filter(isUrl)
  if (urls.length > 0) {
    if (urls.length < config.operands.length) throw usageError('open takes numbers or URLs: give one kind of them.')
    const { get } = await import('./get.ts')
    return get({ ...run, config: { ...config, command: 'get', handoff: true } })
  }
  const page = lastPage(config.stateFolder)
  if (page === null) {
    throw usageError('No page has been shown on this terminal. Show one first, as in: retrieve ls file:///tmp/')
  }
  if (config.operands.length === 0) return showAgain(page, run)
  const linkedFrom = page.url
  const targets = withUrls(config.targets, (number) => urlOf(number, page))
  const isTold = run.output.stderrIsTerminal && !config.silent
  for (const { operand } of targets) if (isTold) run.output.note(`* ${operand}`)
  const { get } = await import('./get.ts')
  return get({ ...run, config: { ...config, command: 'get', targets, request: { ...config.request, linkedFrom } } })
}

/** Whether an operand is a URL, perhaps abbreviated or in angle brackets. Page numbers are not URLs. */
function isUrl(operand: string): boolean {
  const text = operand.trim()
  return text.startsWith('<') || schemeOf(text) !== undefined || completeUrl(text) !== undefined
}

async function showAgain({ url, command }: LastPage, run: Run): Promise<number> {
  const config = { ...run.config, command, page: true, targets: toStandardOutput(url) }
  if (command === 'ls') return (await import('./ls.ts')).ls({ ...run, config })
  return (await import('./get.ts')).get({ ...run, config })
}

/** The URL of an entry. Throws `invalid-option` if the page has no such number. */
function urlOf(number: string, page: LastPage): string {
  const url = entryOf(page, number)
  if (typeof url === 'string') return url
  const shown = redact(page.url)
  if (url === null) {
    throw usageError(`The URL of ${number} on ${shown} holds a secret, which is not kept: retrieve ls --json shows it.`)
  }
  const numbers = Object.keys(page.entries)
  const range =
    numbers.length === 1 ? `the number ${numbers[0]} only` : `numbers from ${numbers[0]} to ${numbers.at(-1)}`
  throw usageError(`${JSON.stringify(number)} is no number on the last page, ${shown}, which has ${range}.`)
}
