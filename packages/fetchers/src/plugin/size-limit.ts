import { adviceText, type RetrievalError } from '@retriever/core'
import type { RetrievalContext } from './fetcher.ts'

/** The error for a body whose announced size is over limits.maxSize, before an octet of it is read. */
export function overMaxSize(
  { limits, error }: Pick<RetrievalContext, 'limits' | 'error'>,
  size: number,
): RetrievalError {
  const advice = { option: 'limits.maxSize' } as const
  const limit = `the limit set by ${adviceText(advice)} is ${limits.maxSize}`
  const message = `The body has ${size} octets, and ${limit}; nothing was retrieved.`
  return error('limit-exceeded', message, { phase: 'body', advice })
}
