import { redact } from '@retriever/core'
import type { Config } from '../config.ts'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import type { Target } from '../saving/destination.ts'
import { entryOf, type LastPage, lastPage } from '../views/last-page.ts'

/** `retrieve open [N...]`: retrieves entries of the last page by their numbers; without a number, shows it again. */
export async function open(run: Run): Promise<number> {
  const { config, output } = run
  const page = lastPage(config.stateFolder)
  if (page === null) {
    throw usageError('No page has been shown on this terminal. Show one first, as in: retrieve ls file:///tmp/')
  }
  if (config.targets.count === 0) return showAgain(page, run)
  const entries: Target[] = []
  for (const { operand, destination } of config.targets) entries.push({ operand: urlOf(operand, page), destination })
  if (output.stderrIsTerminal && !config.silent && !config.verbose) {
    for (const { operand } of entries) output.note(`* ${operand}`)
  }
  const request = { ...config.request, linkedFrom: page.url }
  const { get } = await import('./get.ts')
  return get({ ...run, config: { ...config, ...targetsOf(entries), command: 'get', request } })
}

async function showAgain({ url, command }: LastPage, run: Run): Promise<number> {
  const typed = targetsOf([{ operand: url, destination: { to: 'stdout', asIs: false } }])
  const config = { ...run.config, ...typed, command, page: true }
  if (command === 'ls') return (await import('./ls.ts')).ls({ ...run, config })
  return (await import('./get.ts')).get({ ...run, config })
}

function targetsOf(entries: readonly Target[]): Pick<Config, 'operands' | 'targets'> {
  const destinations = entries.map(({ destination }) => destination)
  const targets = { count: entries.length, destinations, [Symbol.iterator]: () => entries[Symbol.iterator]() }
  return { operands: entries.map(({ operand }) => operand), targets }
}

/** Throws `invalid-option` for a number that the page has not. */
function urlOf(number: string, page: LastPage): string {
  const url = entryOf(page, number)
  if (typeof url === 'string') return url
  const shown = redact(page.url)
  if (url === null) {
    throw usageError(`The URL of ${number} on ${shown} holds a secret, which is not kept: copy it from the page.`)
  }
  const numbers = Object.keys(page.entries)
  const range =
    numbers.length === 1 ? `the number ${numbers[0]} only` : `numbers from ${numbers[0]} to ${numbers.at(-1)}`
  throw usageError(`${JSON.stringify(number)} is no number on the last page, ${shown}, which has ${range}.`)
}
