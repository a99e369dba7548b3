import type { RetrievalError, Scheme } from '@retriever/core'
import type { Limits } from '../contract/limits.ts'
import { invalidOption, publicMinSpeed, readLimits } from '../kit/limits.ts'
import { both } from '../kit/listeners.ts'
import type { RetrieveOptions } from './client-options.ts'
import { type Policy, type Rules, readPolicy, schemeObstacle } from './policy.ts'
import type { Settings } from './settings.ts'
import { stepsOf } from './steps/index.ts'

/** The limits that the caller has given, over the defaults, which publicOnly changes. Throws `invalid-option`. */
export function limitsOf(isPublicOnly: boolean, given: Partial<Limits> = {}): Limits {
  return readLimits(isPublicOnly ? { minSpeed: publicMinSpeed, ...given } : given)
}

/**
 * The settings of one call: the client's own, unless the call has limits, a policy or a listener. Throws
 * `invalid-option`, also for a policy that allows what the client's refuses.
 */
export function settingsOfCall(settings: Settings, call: RetrieveOptions): Settings {
  const { limits, policy, retryOn, onEvent, onHead, onBody, use } = call
  const own = [limits, policy, retryOn, onEvent, onHead, onBody, use]
  if (own.every((option) => option === undefined)) return settings
  const rules = policy === undefined ? settings.policy : narrowed(settings, policy)
  const isLimited = limits !== undefined || rules.publicOnly !== settings.policy.publicOnly
  const givenLimits = limits === undefined ? settings.givenLimits : { ...settings.givenLimits, ...definedOf(limits) }
  const steps = use === undefined ? settings.use : [...settings.use, ...use]
  return {
    ...settings,
    use: steps,
    steps: use === undefined ? settings.steps : stepsOf(steps),
    policy: rules,
    givenLimits,
    limits: isLimited ? limitsOf(rules.publicOnly, givenLimits) : settings.limits,
    addresses: policy === undefined ? settings.addresses : settings.addresses.under(rules),
    retryOn: retryOn ?? settings.retryOn,
    onEvent: both(settings.onEvent, onEvent),
    onHead,
    onBody,
  }
}

/** The client's policy with the changes of one call, which may only refuse more. */
function narrowed({ policy: base, resolving }: Settings, changes: Partial<Policy>): Rules {
  const given = definedOf(changes)
  readPolicy(given, resolving.find)
  for (const name of ['allowDowngrade', 'allowInward'] as const) {
    if (given[name] === true && !base[name]) throw wider(name, 'absent or false', true)
  }
  if (given.publicOnly === false && base.publicOnly) throw wider('publicOnly', 'absent or true', false)
  for (const name of ['allow', 'allowPorts'] as const) {
    const allowed: readonly unknown[] = base[name]
    const more = given[name]?.find((each) => !allowed.includes(each))
    if (more !== undefined) throw wider(name, `a part of [${allowed.join(', ')}]`, more)
  }
  // A client without publicOnly allows all addresses.
  const { allowAddresses } = base
  const added = base.publicOnly && given.allowAddresses?.find((each) => !allowAddresses.includes(each))
  if (added) throw wider('allowAddresses', `a part of [${allowAddresses.join(', ')}]`, added)
  const { redirectSchemes } = base
  if (redirectSchemes !== null && given.redirectSchemes !== undefined) {
    const more = given.redirectSchemes?.find((name) => !redirectSchemes.includes(name)) ?? given.redirectSchemes
    if (more === null || typeof more === 'string') {
      throw wider('redirectSchemes', `a part of [${redirectSchemes.join(', ')}]`, more)
    }
  }
  if (given.schemes === null && base.schemes !== null) throw wider('schemes', 'absent or a list', null)
  const more = given.schemes?.find((name) => isRefused(base, resolving.find(name)))
  if (more !== undefined) throw wider('schemes', 'names of schemes that the client retrieves', more)
  return { ...base, ...given }
}

/** Whether the client's policy refuses a scheme as a whole. */
function isRefused(base: Rules, scheme: Scheme | undefined): boolean {
  return scheme === undefined || schemeObstacle(base, scheme) !== null
}

function wider(name: string, expected: string, value: unknown): RetrievalError {
  const rule = "because a call's policy can only refuse more than the client's"
  return invalidOption(`policy.${name}`, `${expected}, ${rule}`, value)
}

/** The options that are not undefined. */
export function definedOf<T extends object>(changes: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> }
}
