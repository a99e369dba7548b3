import type { Representation } from '../../body/representation.ts'
import type { Handoff } from '../../contract/fetcher.ts'
import type { Step } from '../../contract/steps.ts'
import { attempt } from './attempt.ts'
import { body } from './body.ts'
import { callers } from './callers.ts'
import { cookies } from './cookies.ts'
import { fetch } from './fetch.ts'
import { gateway } from './gateway.ts'
import { composed, type Hop } from './hop.ts'
import { login } from './login.ts'
import { policy } from './policy.ts'
import { redirects } from './redirects.ts'
import { retry } from './retry.ts'
import { route } from './route.ts'
import { turn } from './turn.ts'

/** What happens to a URL that has been resolved. */
export type Steps = (hop: Hop) => Promise<Representation | Handoff>

/**
 * What happens to a URL, from the top: each step calls the one below it. A client composes the list once, and again for
 * a call with `use`. Before it, client.ts resolves the URL.
 */
export function stepsOf(use: readonly Step[]): Steps {
  const retrieve = composed(
    [
      // Goes where servers point to; what follows is done for each URL on the way.
      redirects,
      // Asks the gateway in place of the URL's own server.
      gateway,
      // Refuses the URL before anything is contacted.
      policy,
      // Lets the fetcher ask for cookies, and for logins once the server wants one.
      cookies,
      login,
      // Tries again after errors that may pass; what follows is one try.
      retry,
      // Waits for a place at the server, if the URL is one of a batch.
      turn,
      // The caller's own steps, which may change the request, answer in place of a server, or try again.
      ...callers(use),
      // Gives the try a deadline of its own.
      attempt,
      // Chooses the proxy, the plan for it, and the fetcher.
      route,
    ],
    // Carries out the plan, up to the first octets of the body.
    fetch,
  )
  // Gives the caller what has come, to be read.
  return (hop) => body(hop, retrieve)
}
