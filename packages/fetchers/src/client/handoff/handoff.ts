import { printable, RetrievalError, redact } from '@retriever/core'
import { type HandoffProgram, shellCommand, shellWord } from '@retriever/core/internal'
import type { Handoff, RetrievalContext } from '../../contract/fetcher.ts'

/** Whether a value is a Handoff, of any copy of this package: its `outcome` says so. */
export function isHandoff(value: unknown): value is Handoff {
  return (
    typeof value === 'object' &&
    value !== null &&
    'outcome' in value &&
    value.outcome === 'handoff' &&
    'program' in value &&
    'args' in value
  )
}

/**
 * The error of retrieve() for a URL that names a service. Its message has a command that may be pasted into a shell:
 * neither the URL nor the server can add another command to it.
 */
export function handoffError(url: string, handoff: Handoff): RetrievalError {
  const { outcome: _, alternatives, ...given } = handoff
  const { service, program, args } = withoutSecrets(handoff)
  const what = `${redact(url)} names a service (${service}), not data.`
  const message = `${what}${loginAdvice(handoff)} To use it, run: ${shellCommand([program, ...args].map(printable))}`
  const details = {
    ...withoutSecrets(given),
    password: handoff.password == null ? null : '***',
    ...(alternatives && { alternatives: alternatives.map(withoutSecrets) }),
  }
  return new RetrievalError('handoff', message, { phase: 'resolve', url, handoff: details })
}

/** An error shows no secret, though the program may need it: the query of a URL may hold one. */
function withoutSecrets<Program extends HandoffProgram>(given: Program): Program {
  const { args, argsWithUser } = given
  return { ...given, args: args.map(redact), ...(argsWithUser && { argsWithUser: argsWithUser.map(redact) }) }
}

/**
 * Refuses a host that a program would read as an option (threats.md case 8: `-oProxyCommand=...` as a host), and hides
 * the password from logs, for handoffs of every fetcher.
 */
export function checkHandoff(handoff: Handoff, context: RetrievalContext): Handoff {
  if (handoff.host === null || isHostWord(handoff.host)) return withHiddenPassword(handoff)
  throw context.error('refused', hostRefusal(handoff.program), { phase: 'policy' })
}

/** Whether a host can be a word of a command line that no program reads as an option. */
export function isHostWord(host: string): boolean {
  return /^[\w.:%[\]][\w.:%[\]-]*$/.test(host)
}

export function hostRefusal(program: string): string {
  return `The program ${program} could read the host as an option; the URL is not handed over.`
}

/** The handoff with a password that neither a log nor JSON shows. */
export function withHiddenPassword(handoff: Handoff): Handoff {
  const { password, ...shown } = handoff
  return password == null ? handoff : Object.defineProperty(shown, 'password', { value: password })
}

function loginAdvice({ user, password }: Handoff): string {
  const secret = 'the password that the URL contains'
  if (user === null || user === '') return password == null ? '' : ` It suggests ${secret}.`
  return ` It suggests logging in as ${shellWord(printable(user))}${password == null ? '' : ` with ${secret}`}.`
}
