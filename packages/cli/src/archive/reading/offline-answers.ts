import { RetrievalError, redact } from '@retriever/core'
import type { Step, StepRequest } from '@retriever/fetchers'
import type { MissingList } from '../missing-list.ts'
import { archivedAnswers } from './archived-answers.ts'

/** Where offline answers come from. */
export interface OfflineSources {
  /** The folder of --cache; null if there is none. */
  readonly cache: string | null
  /** Web archives, which come first. */
  readonly archives: readonly string[]
}

/** Makes the step that answers from archives and a cache. It contacts nothing, and lists what was not there. */
export function offlineAnswers(sources: OfflineSources, list: MissingList): Step {
  return archivedAnswers(sources.archives, async (request, next) => {
    const { plan, headers } = request
    if (sources.cache !== null && plan.mechanism === 'http') {
      try {
        // The cache obeys both, and asks no server (RFC 9111 5.2.1.7).
        return await next({ ...request, headers: { ...headers, 'Cache-Control': 'only-if-cached, max-stale' } })
      } catch (error) {
        if (!RetrievalError.is(error) || error.status !== 504) throw error
      }
    }
    throw missing(request, sources, list)
  })
}

/** The error for a URL that is not there. Its status is that of a cache that may ask nobody. */
function missing({ url, plan }: StepRequest, { cache, archives }: OfflineSources, list: MissingList): RetrievalError {
  const names = [...archives, ...(cache === null ? [] : [cache])].join(', ')
  const keeps = cache !== null && plan.mechanism === 'http' ? `--cache ${cache}` : '--warc NAME'
  const then = cache !== null && plan.mechanism === 'http' ? '' : ', and --offline takes the archive NAME-..., too'
  const next = list.add(url)
    ? `It is in ${list.path} now: online, retrieve ${keeps} --from ${list.path} -O gets it${then}.`
    : `It cannot stand in ${list.path}: online, retrieve ${keeps} -O URL gets it${then}.`
  const message = `${redact(url)}: ${names} has no answer that serves offline. ${next}`
  return new RetrievalError('not-found', message, { phase: 'request', url, status: 504 })
}
