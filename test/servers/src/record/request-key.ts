import { redact } from '@retriever/core'
import { isSecretField } from '@retriever/core/internal'
import type { RequestOptions } from '@retriever/fetchers/plugin'

/**
 * Returns the options that change the answer, in a fixed order, without secrets. `split` only changes how it is
 * fetched.
 */
export function requestShown(request: RequestOptions): Readonly<Record<string, unknown>> {
  const { range, resumeFrom, ifChangedSince, ifUnchangedSince, accept, acceptLanguage, form, limit } = request
  const { headers, head, charset, http: { ifNoneMatch, virtualHost, compressed, fail } = {} } = request
  const offset = typeof resumeFrom === 'object' ? resumeFrom.offset : resumeFrom
  return {
    ...(range !== undefined && { range }),
    ...(offset !== undefined && { resumeFrom: offset }),
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

function fieldsShown(fields: NonNullable<RequestOptions['headers']>): Record<string, string | null> {
  const shown = Object.entries(fields).map(([name, value]): [string, string | null] => [
    name.toLowerCase(),
    isSecretField(name) ? '***' : value && redact(value),
  ])
  return Object.fromEntries(shown.sort(([one], [other]) => (one < other ? -1 : 1)))
}
