import type { RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../contract/fetcher.ts'

/** Makes the error for a body whose announced size is over limits.maxSize. No octet of the body has been read then. */
export function overMaxSize(
  { limits, error }: Pick<RetrievalContext, 'limits' | 'error'>,
  size: number,
): RetrievalError {
  const advice = { option: 'limits.maxSize' } as const
  const limit = `the limit set by ${adviceText(advice)} is ${limits.maxSize}`
  const message = `The body has ${size} octets, and ${limit}; nothing was retrieved.`
  return error('limit-exceeded', message, { phase: 'body', advice })
}

/** Makes the error for something that is held whole and exceeds limits.maxCollected or a smaller limits.maxListing. */
export function overHeld(
  { limits, error }: Pick<RetrievalContext, 'limits' | 'error'>,
  what: string,
  limited: 'maxCollected' | 'maxListing' = 'maxCollected',
): RetrievalError {
  const isListing = limited === 'maxListing' && limits.maxListing < limits.maxCollected
  const advice = { option: isListing ? 'limits.maxListing' : 'limits.maxCollected' } as const
  const most = isListing ? limits.maxListing : limits.maxCollected
  const message = `The ${what} is over ${most} octets, which is ${adviceText(advice)}.`
  return error('limit-exceeded', message, { phase: 'body', advice })
}
