import { type ErrorCode, RetrievalError } from '@retriever/core'
import type { Trouble } from './network.ts'
import { longestPause, type Outcome, type Run } from './run.ts'
import { secretIn } from './world.ts'

const broken: readonly ErrorCode[] = ['partial', 'receive-failed', 'timeout', 'connect-failed']

/** The codes with which each trouble may end a retrieval. */
const allowed: Readonly<Record<Trouble['kind'], readonly ErrorCode[]>> = {
  none: [],
  fin: broken,
  reset: broken,
  stall: ['timeout', 'partial', 'receive-failed'],
  refuse: ['connect-failed', 'partial'],
  silent: ['timeout', 'connect-failed', 'partial'],
}

/** Names the property that a finished run breaks; null: it breaks none. */
export function problemOf(run: Run): string | null {
  for (const [index, outcome] of run.outcomes.entries()) {
    const problem = outcome === undefined ? 'no outcome' : outcomeProblem(run, outcome, index)
    if (problem !== null) return `${outcome?.asked.url}: ${problem}`
  }
  if (run.told !== null) return `an event shows a password: ${run.told}`
  return capProblem(run) ?? secretProblem(run)
}

function outcomeProblem(run: Run, outcome: Outcome, index: number): string | null {
  const { asked, came, error, isLeft, completeness } = outcome
  const wanted = asked.names === null ? asked.body : asked.names.map((name) => `${name} `).join('')
  if (came !== null && wanted?.startsWith(came) === false) return `wrong octets came: ${JSON.stringify(came)}`
  if (error !== null) return errorProblem(run, outcome, index)
  if (wanted === null) return `it succeeded, but has the error ${asked.code}`
  // A body that ends with its connection cannot be told from one that was cut; the mark says so.
  const isMarked = completeness === 'eof-only' && run.trouble.kind === 'fin'
  return came === wanted || isLeft || isMarked ? null : `a short body passes for whole: ${JSON.stringify(came)}`
}

function errorProblem(run: Run, { asked, error, time }: Outcome, index: number): string | null {
  const { world, trouble, aborted, abort } = run
  if (!RetrievalError.is(error)) return `no RetrievalError: ${error instanceof Error ? error.stack : String(error)}`
  const { code, message } = error
  if (secretIn(message) !== null) return `its error shows a password: ${message}`
  const isBatch = world.protocol === 'batch'
  const pause = isBatch || asked.use === 'slow' ? longestPause : 0
  const { maxRetries, totalTimeout = Number.POSITIVE_INFINITY } = world.options.limits
  if (!isBatch && time - asked.start > totalTimeout + pause) return `it ended only after ${time - asked.start} ms`
  if (code === 'aborted' && aborted?.pending.includes(index)) {
    // A URL of a batch that waits for its place fails when it gets one.
    const late = isBatch && abort?.index !== null ? 0 : time - Math.max(asked.start, aborted.time)
    return late > pause ? `aborted, but only after ${late} ms` : null
  }
  if (code === 'http-error' && asked.url.includes('/busy/') && (trouble.kind !== 'none' || maxRetries === 0))
    return null
  if (code === asked.code || allowed[trouble.kind].includes(code)) return null
  return `ended with ${code} (${message})`
}

/**
 * Whether a server got more connections than it may: four for sessions, and for HTTP one for each place. Each redirect
 * needs one of its own beside those that lie idle, as its addresses are judged.
 */
function capProblem({ network, world }: Run): string | null {
  const { asked, options, protocol } = world
  const places = protocol === 'batch' ? options.perHost : asked.length
  const redirects = asked.filter(({ url }) => url.includes('/moved/')).length
  for (const [place, most] of network.most) {
    const cap = place.endsWith(':80') ? places + redirects : 4
    if (most > cap) return `${place} had ${most} connections, and may have ${cap}`
  }
  return null
}

function secretProblem({ network }: Run): string | null {
  for (const [host, octets] of network.received) {
    const owner = secretIn(octets, host)
    if (owner !== null) return `${host} got the password of ${owner}`
  }
  return null
}
