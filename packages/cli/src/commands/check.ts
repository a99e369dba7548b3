import { isInward, printable, RetrievalError, redact } from '@retriever/core'
import { type Client, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { type Probed, probe } from '../check/probe.ts'
import { hostOf, type Link, linksOf } from '../check/sources.ts'
import type { Config } from '../config.ts'
import { exitCodeOf, usageError } from '../exit-codes.ts'
import { Exits } from '../many/exits.ts'
import { type Result, resultOf } from '../results/result.ts'
import { pickRequest, type Run } from '../run.ts'
import { proxyOf } from '../session.ts'
import { jsonLine, type Output, withoutSecrets } from '../terminal/output.ts'
import { hanging } from '../terminal/wrap.ts'

/** `retrieve check FILE|URL...`: whether links are alive, a line or an object each. 0 only if all of them are. */
export async function check(run: Run): Promise<number> {
  const { config, output, report, signal } = run
  if (config.operands.length === 0) throw usageError('Nothing is given to check. Try: retrieve check --help')
  await using client = createClient({ ...config.client, proxy: config.proxyFor })
  const request: RetrieveOptions = { signal, ...pickRequest(config, 'accept', 'acceptLanguage', 'headers') }
  const exits = new Exits(config.many.exitWorst)
  const links = new Map<string, Link>()
  for (const operand of config.operands) {
    for (const link of await linksOf(operand, client, run, request)) {
      const known = links.get(keyOf(link))
      // A URL that the user named may be checked, even if a page names it too.
      const isForeign = link.isForeign && known?.isForeign !== false
      const isElsewhere = link.isElsewhere && known?.isElsewhere !== false
      links.set(keyOf(link), { url: known?.url ?? link.url, isForeign, isElsewhere })
    }
  }
  const all = [...links.values()]
  const counts = { alive: 0, dead: 0, skipped: 0 }
  const allowsInward = config.client.policy?.allowInward === true
  const optionsFor = (link: Link): RetrieveOptions => ({
    onEvent: (event) => config.verbose && report.event(event),
    ...(link.isForeign && !allowsInward && !isProxied(link, client, config) && { policy: { publicOnly: true } }),
    // As after a redirect: a page must not have the user's logins and cookies sent to places of its choice.
    ...(link.isElsewhere && request.headers !== undefined && { headers: harmless(request.headers) }),
  })
  for await (const probed of probe(all, client, request, optionsFor, config.many.jobs ?? undefined)) {
    const result = resultFor(probed)
    const isAlive = result.outcome === 'retrieved'
    counts[isAlive ? 'alive' : result.outcome === 'skipped' ? 'skipped' : 'dead']++
    if (result.outcome === 'failed') exits.add(all.indexOf(probed.link), exitCodeOf(probed.error))
    await output.write(config.json ? jsonLine(withoutSecrets(result)) : lineOf(result, output))
  }
  if (!config.silent && !config.json) output.note(`retrieve: ${summary(counts)}`)
  return exits.code
}

/** The header fields that are sent to any server. */
function harmless(headers: Readonly<Record<string, string | null>>): Record<string, string | null> {
  const fields = Object.entries(headers)
  return Object.fromEntries(
    fields.filter(([name, value]) => value === null || /^(?:accept(?:-language)?|user-agent)$/i.test(name)),
  )
}

/** Whether a proxy, which looks up names by its own rules, is asked for a host that is not this network by its name. */
function isProxied({ url }: Link, client: Client, { proxyFor }: Config): boolean {
  try {
    const resolution = client.resolve(url)
    return proxyOf(resolution, proxyFor) !== null && !isInward(hostOf(resolution))
  } catch {
    return false
  }
}

/** The links of one resource differ in their fragments at most. */
function keyOf({ url }: Link): string {
  return url.replace(/#.*$/s, '')
}

/** The result of a link; one that names a service, such as mailto:, has no data, and is not called dead. */
function resultFor({ link, facts, error }: Probed): Result {
  const result = resultOf({ operand: link.url, facts, error })
  const isService = RetrievalError.is(error) && (error.code === 'handoff' || error.code === 'no-fetcher')
  return isService ? { ...result, outcome: 'skipped', exit: 0 } : result
}

/** `alive 200 URL`, `moved 301 URL -> NEW`, `dead 404 URL: reason`, `skip - URL: reason`; wrapped on a terminal. */
function lineOf({ url, status, outcome, error, redirects, finalUrl }: Result, output: Output): string {
  const target = movedTo(redirects, finalUrl)
  const word = outcome === 'failed' ? 'dead' : outcome === 'skipped' ? 'skip' : target === null ? 'alive' : 'moved'
  const first = redirects[0]
  const code = word === 'moved' && first !== undefined ? first.status : (status ?? '-')
  const why = error === null ? '' : `: ${error.message.replace(`${url}: `, '')}`
  const where = outcome === 'retrieved' && redirects.length > 0 ? ` -> ${target ?? finalUrl}` : ''
  const head = `${word.padEnd(5)} ${String(code).padStart(3)} `
  const text = printable(redact(`${url}${where}${why}`))
  return `${output.stdoutIsTerminal ? hanging(head, text, output.columns) : head + text}\n`
}

/** The URL to write in place of one that has moved for good (301, 308); null: it has not. */
function movedTo(redirects: Result['redirects'], finalUrl: string | null): string | null {
  const temporary = redirects.findIndex(({ status }) => status !== 301 && status !== 308)
  if (redirects.length === 0 || temporary === 0) return null
  return temporary === -1 ? finalUrl : (redirects[temporary]?.url ?? null)
}

function summary({ alive, dead, skipped }: { alive: number; dead: number; skipped: number }): string {
  const links = alive + dead === 1 ? '1 link' : `${alive + dead} links`
  const passed = skipped === 0 ? '' : `; ${skipped} not checked`
  return `${alive} of ${links} alive, ${dead} dead${passed}`
}
