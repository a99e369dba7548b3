import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { askCredentials } from '../credentials.ts'
import type { Hop, Next } from './hop.ts'

/** Lets the fetcher ask for the caller's logins, once the server wants one. */
export function login<Result>(hop: Hop, next: Next<Result>): Promise<Result> {
  const { context, retrieval } = hop
  const { credentials, acceptedLogins } = retrieval.settings
  // RFC 1738 4: the caller's logins are for the URL's own server, even if the gateway has the same host and port.
  if (retrieval.nesting.isAtGateway) context.credentials = async () => noLoginForGateway(context)
  else {
    context.credentials = (challenge) => askCredentials(credentials, challenge, retrieval.deadline)
    context.acceptedLogins = acceptedLogins
  }
  return next(hop)
}

function noLoginForGateway({ emit, url }: RetrievalContext): null {
  const advice = { option: 'gateways', value: 'SCHEME' } as const
  const message = `The gateway wants a login of its own, and gets none of yours: write it in ${adviceText(advice)}.`
  emit({ type: 'remark', url, message, advice })
  return null
}
