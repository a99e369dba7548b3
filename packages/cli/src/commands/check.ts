import { printable, RetrievalError, redact } from '@retriever/core'
import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { forOtherOrigin } from '@retriever/fetchers/internal'
import { Anchors, noAnchor, withoutFragment } from '../check/anchors.ts'
import type { CheckJournal } from '../check/check-journal.ts'
import { asLinkError, rulesFor } from '../check/link-rules.ts'
import { type Probed, probe } from '../check/probe.ts'
import { hasSecrets, trustedLinks, withoutCertificate } from '../check/secrets.ts'
import { type Link, linksOf } from '../check/sources.ts'
import type { Config } from '../config.ts'
import { usageError } from '../exit-codes.ts'
import { Exits } from '../many/exits.ts'
import { refuseForm } from '../options/protocols/form.ts'
import { type Result, resultOf } from '../results/result.ts'
import type { Run } from '../run.ts'
import { Session } from '../session.ts'
import { withoutSecrets as hideSecrets, jsonLine, type Output, StdoutClosed } from '../terminal/output.ts'
import { hanging } from '../terminal/wrap.ts'
import { Facts } from '../write-out/facts.ts'

/**
 * `retrieve check FILE|URL...`: tells whether links are alive, a line or an object for each. Returns 0 only if all are.
 */
export async function check(run: Run): Promise<number> {
  const exits = new Exits(run.config.many.exitWorst)
  try {
    await checkLinks(run, exits)
  } catch (error) {
    if (!(error instanceof StdoutClosed)) throw error
  }
  return exits.code
}

async function checkLinks(run: Run, exits: Exits): Promise<void> {
  const { config, output, report, signal } = run
  if (config.operands.length === 0) throw usageError('Nothing is given to check. Try: retrieve check --help')
  refuseForm(config.form, 'check')
  await using session = new Session({ ...run, config: checking(config) }, { isCheck: true })
  await using journal = config.journal === null ? null : await openJournalOf(run)
  const { client } = session
  const onEvent: RetrieveOptions['onEvent'] = (event) => {
    run.traceFile?.event(event)
    if (config.verbose) report.event(event)
  }
  const { base: _, ...own } = config.request
  const request: RetrieveOptions = { ...run.traceFile?.listener, signal }
  const links = new Map<string, Link>()
  const anchors = new Anchors()
  for (const operand of config.operands) {
    for (const link of await linksOf(operand, session, { ...request, ...own, onEvent }, anchors)) {
      anchors.addLink(link.url)
      const known = links.get(withoutFragment(link.url)) ?? link
      // If the user typed the URL, the rules for links do not apply, even if a page links to it as well.
      const linkedFrom = known.linkedFrom === null ? null : link.linkedFrom
      links.set(withoutFragment(link.url), { url: known.url, linkedFrom, isTyped: known.isTyped || link.isTyped })
    }
  }
  const missing = anchors.missing()
  for (const url of missing) {
    const page = withoutFragment(url)
    const link = links.get(page)
    // The page may be alive even if it lacks this anchor.
    if (link?.url === url) links.set(page, { ...link, url: page })
  }
  const all = [...links.values()]
  const trusted = trustedLinks(all, client)
  const optionsFor = (link: Link): RetrieveOptions => ({
    onEvent,
    ...rulesFor(link, client, config),
    ...(trusted.has(link) ? own : forOtherOrigin(own)),
  })
  const others = withoutCertificate(session.options)
  const hasLogin = config.login !== null || config.netrc !== null
  if (trusted.size === 0 && (others !== null || hasSecrets(own) || hasLogin)) {
    const message =
      'Your logins, header fields and client certificate go only to hosts that are named on the command line.'
    report.warning({ message: `${message} Name them beside the file.` })
  }
  await using stranger = others === null ? null : createClient(others)
  const known = (await journal?.known(all)) ?? new Map<Link, Result>()
  const parts = [
    { client, links: all.filter((link) => !known.has(link) && (stranger === null || trusted.has(link))) },
    { client: stranger, links: all.filter((link) => !known.has(link) && stranger !== null && !trusted.has(link)) },
  ]
  const numbers = new Map(all.map((link, index) => [link, index]))
  const tell = async (result: Result, link: Link | undefined): Promise<void> => {
    counts[stateOf(result)]++
    const number = link === undefined ? undefined : numbers.get(link)
    if (result.outcome === 'failed') exits.add(number ?? all.length, result.exit)
    await output.write(config.json ? jsonLine(hideSecrets(result)) : lineOf(result, output))
  }
  const counts = { alive: 0, dead: 0, refused: 0, skipped: 0 }
  for (const [link, result] of known) await tell(result, link)
  for (const part of parts) {
    if (part.client === null || part.links.length === 0) continue
    for await (const probed of probe(part.links, part.client, request, optionsFor)) {
      // A link whose check a signal has broken off is not dead.
      if (signal.aborted && RetrievalError.is(probed.error) && probed.error.code === 'aborted') continue
      const error = asLinkError(probed.error, probed.link, config)
      const result = resultFor({ ...probed, error })
      await tell(result, probed.link)
      journal?.add(probed.link, hideSecrets(result) as Result, error)
    }
  }
  signal.throwIfAborted()
  for (const url of missing) {
    const error = noAnchor(url)
    const link = links.get(withoutFragment(url))
    await tell(resultOf({ operand: url, facts: new Facts(run.servers), error }), link)
  }
  journal?.whole(all.length)
  if (!config.silent && !config.json) output.note(`retrieve: ${summary(counts)}`)
}

async function openJournalOf(run: Run): Promise<CheckJournal | null> {
  return (await import('../check/check-journal.ts')).openCheckJournal(run)
}

/** How many links are checked at a time, unless the user says, and how many of them on one host. */
const defaultJobs = 16
const perHost = 4
/** How often a check tries again. A server that answers 503 twice is down. */
const defaultRetries = 1

function checking(config: Config): Config {
  const limits = { maxRetries: defaultRetries, ...config.client.limits }
  const many = { ...config.many, concurrency: config.many.jobs ?? defaultJobs, perHost }
  return { ...config, many, client: { ...config.client, limits } }
}

/** Whether a link is alive, as far as the check could tell. */
function stateOf({ outcome, error }: Result): 'alive' | 'dead' | 'refused' | 'skipped' {
  if (outcome === 'retrieved') return 'alive'
  if (outcome === 'skipped') return 'skipped'
  return error?.code === 'refused' ? 'refused' : 'dead'
}

/** The result of a link. A link to a service, such as mailto:, has no data, and does not count as dead. */
function resultFor({ link, facts, error }: Probed): Result {
  const result = resultOf({ operand: link.url, facts, error })
  const isService = RetrievalError.is(error) && (error.code === 'handoff' || error.code === 'no-fetcher')
  return isService ? { ...result, outcome: 'skipped', exit: 0 } : result
}

/** `alive 200 URL`, `moved 301 URL -> NEW`, `dead 404 URL: reason`, `refused - URL: reason`; wrapped on a terminal. */
function lineOf(result: Result, output: Output): string {
  const { url, status, outcome, error, redirects, finalUrl } = result
  const state = stateOf(result)
  const target = movedTo(redirects, finalUrl)
  const word = state === 'skipped' ? 'skip' : state === 'alive' && target !== null ? 'moved' : state
  const first = redirects[0]
  const code = word === 'moved' && first !== undefined ? first.status : (status ?? '-')
  const why = error === null ? '' : `: ${error.message.replace(`${url}: `, '')}`
  const where = outcome === 'retrieved' && redirects.length > 0 ? ` -> ${target ?? finalUrl}` : ''
  const head = `${word}${String(code).padStart(9 - word.length)} `
  const text = printable(redact(`${url}${where}${why}`))
  return `${output.stdoutIsTerminal ? hanging(head, text, output.columns) : head + text}\n`
}

/** The URL to write instead of one that has moved for good (301, 308); null if it has not moved. */
function movedTo(redirects: Result['redirects'], finalUrl: string | null): string | null {
  const temporary = redirects.findIndex(({ status }) => status !== 301 && status !== 308)
  if (redirects.length === 0 || temporary === 0) return null
  return temporary === -1 ? finalUrl : (redirects[temporary]?.url ?? null)
}

function summary(counts: Readonly<Record<ReturnType<typeof stateOf>, number>>): string {
  const { alive, dead, refused, skipped } = counts
  const count = alive + dead + refused
  const barred = refused === 0 ? '' : `, ${refused} refused`
  const passed = skipped === 0 ? '' : `; ${skipped} not checked`
  return `${alive} of ${count === 1 ? '1 link' : `${count} links`} alive, ${dead} dead${barred}${passed}`
}
