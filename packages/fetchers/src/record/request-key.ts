import { isSecretField, redact } from '@retriever/core'
import type { RequestFields, RequestOptions } from '../contract/fetcher.ts'
import { resumePoint } from '../kit/request-options.ts'

/**
 * Returns the options that change the answer, in a fixed order, without secrets. `split` only changes how it is
 * fetched.
 */
export function requestShown(request: RequestOptions): Readonly<Record<string, unknown>> {
  const { range, ifChangedSince, ifUnchangedSince, ifNoneMatch, accept, acceptLanguage, form, limit } = request
  const { headers, head, compressed, fail, charset, virtualHost } = request
  const resumeFrom = resumePoint(request)?.offset
  return {
    ...(range !== undefined && { range }),
    ...(resumeFrom !== undefined && { resumeFrom }),
    ...(ifChangedSince !== undefined && { ifChangedSince: ifChangedSince.toISOString() }),
    ...(ifUnchangedSince !== undefined && { ifUnchangedSince: ifUnchangedSince.toISOString() }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch }),
    ...(accept !== undefined && { accept }),
    ...(acceptLanguage !== undefined && { acceptLanguage }),
    ...(form !== undefined && { form: '<answers>' }),
    ...(limit !== undefined && { limit }),
    ...(headers !== undefined && Object.keys(headers).length > 0 && { headers: fieldsShown(headers) }),
    ...(virtualHost !== undefined && { virtualHost }),
    ...(head === true && { head }),
    ...(compressed === true && { compressed }),
    ...(fail === false && { fail }),
    ...(charset !== undefined && { charset }),
  }
}

function fieldsShown(fields: RequestFields): Record<string, string | null> {
  const shown = Object.entries(fields).map(([name, value]): [string, string | null] => [
    name.toLowerCase(),
    isSecretField(name) ? '***' : value && redact(value),
  ])
  return Object.fromEntries(shown.sort(([one], [other]) => (one < other ? -1 : 1)))
}
