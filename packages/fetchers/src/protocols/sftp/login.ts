import { type AccessPlans, octetsToText, type RetrievalError } from '@retriever/core'
import { adviceText, utf8Octets } from '@retriever/core/internal'
import type { AnyAuthMethod, AuthenticationType, NextAuthHandler, ParsedKey } from 'ssh2'
import { type FoundLogin, findLogin, loginPlace } from '../../auth/found-login.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { sessionKey } from '../../wire/pool/pool-key.ts'
import type { RefusedLogins } from '../../wire/pool/refused-logins.ts'
import { loadSsh2 } from './library.ts'
import type { Link } from './link.ts'
import type { NamedKey, SshOptions } from './options.ts'

/** The login of one connection: who logs in, and the password that the caller gave. */
export interface Attempt {
  readonly user: string
  /** Null if the caller has not been asked, or has none. */
  readonly found: FoundLogin | null
  readonly refused: RefusedLogins
}

/** The caller's login is for another user. One connection cannot change to another user (RFC 4252 5). */
export class OtherUser extends Error {
  override readonly name = 'OtherUser'
  readonly attempt: Omit<Attempt, 'refused'>

  constructor(found: FoundLogin) {
    super('The login is for another user.')
    this.attempt = { user: found.credentials.user, found }
  }
}

/** Asks the caller's function for a login. */
export function askLogin(
  { host, port, ...plan }: AccessPlans['sftp'],
  context: RetrievalContext,
): Promise<FoundLogin | null> {
  const user = plan.user === null ? null : octetsToText(plan.user)
  const challenge = { realm: user === null ? host : `${user}@${host}`, host, port, user }
  return findLogin(context, loginPlace(context.url, challenge, 'login'), challenge)
}

/** Makes the error if no login is known. */
export function noLogin(
  context: RetrievalContext,
  methods: readonly string[],
  locked: Locked | null = null,
): RetrievalError {
  const advice = locked?.advice ?? ({ option: 'credentials' } as const)
  const offered = methods.length === 0 ? '' : ` The server takes: ${methods.join(', ')}.`
  const remedy = locked?.text ?? `Give a user and password by ${adviceText(advice)}, an agent or a private key.`
  return context.error('auth-required', `The server wants a login, and none is known.${offered} ${remedy}`, {
    phase: 'login',
    advice,
  })
}

interface Question {
  readonly methods: readonly AuthenticationType[]
  readonly next: NextAuthHandler
}

/** The steps of the login. Each question of the server is answered by the next way that the server takes. */
export interface Steps {
  /** Called by ssh2 when it needs the next way to log in. */
  offer(methods: readonly AuthenticationType[] | null, next: NextAuthHandler): void
  /** Answers until `ready` settles. Rejects with auth-required, auth-failed or OtherUser. */
  run(ready: Promise<void>, link: Link): Promise<void>
}

/** Logs in with the agent, the private keys, then the password (RFC 4252 7, 8; RFC 4256). */
export function logIn(
  plan: AccessPlans['sftp'],
  context: RetrievalContext,
  options: SshOptions,
  attempt: Attempt,
): Steps {
  const tried = new Set<string>()
  let waiting: ((question: Question) => void) | undefined
  let asked: Question | undefined
  let found = attempt.found
  /** The private keys that were not tried yet. Null: they have not been read. */
  let keys: Identity[] | null = null
  const lockedKeys: string[] = []
  /** The key of the password that was sent. */
  let sent: string | null = null

  const question = (): Promise<Question> =>
    new Promise((resolve) => {
      if (asked === undefined) waiting = resolve
      else resolve(asked)
      asked = undefined
    })

  const answerTo = async (methods: readonly string[]): Promise<AnyAuthMethod> => {
    const username = attempt.user
    const isNew = (way: string, method: string): boolean => methods.includes(method) && !tried.has(way)
    const { agent } = options
    if (agent !== undefined && isNew('agent', 'publickey')) {
      tried.add('agent')
      return { type: 'agent', username, agent }
    }
    if (methods.includes('publickey')) {
      keys ??= await identitiesOf(options, context)
      for (let identity = keys.shift(); identity !== undefined; identity = keys.shift()) {
        const key = await readKey(identity, options.passphrase, context)
        if (key === 'locked') lockedKeys.push(identity.name)
        else if (key !== null) {
          tried.add('key')
          return { type: 'publickey', username, key }
        }
      }
    }
    for (const type of ['password', 'keyboard-interactive'] as const) {
      if (!isNew(type, type)) continue
      const password = await passwordFor()
      if (password === null) break
      tried.add(type)
      if (type === 'password') return { type, username, password }
      return {
        type,
        username,
        prompt: (_name, _text, _language, prompts, finish) => finish(prompts.map(() => password)),
      }
    }
    const locked = whyLocked(lockedKeys, options.passphrase !== undefined)
    if (tried.size === 0) throw noLogin(context, methods, locked)
    found?.refused()
    const ways = methods.join(', ')
    const check = locked?.text ?? 'Check user, password and key.'
    const what = `The login of ${username} failed; the server takes: ${ways}. ${check}`
    const error = context.error('auth-failed', what, {
      phase: 'login',
      reply: ways,
      ...(locked !== null && { advice: locked.advice }),
    })
    if (sent !== null) attempt.refused.note(sent, error)
    throw error
  }

  const passwordFor = async (): Promise<string | null> => {
    const password = await knownPassword()
    if (password === null) return null
    sent = sessionKey({ ...plan, tls: 'ssh', user: attempt.user, password: utf8Octets(password) }, context)
    attempt.refused.check(sent, context)
    return password
  }

  const knownPassword = async (): Promise<string | null> => {
    if (plan.password !== null) return octetsToText(plan.password)
    found ??= await askLogin(plan, context)
    if (found === null) return null
    if (found.credentials.user !== attempt.user && found.credentials.user !== '') throw new OtherUser(found)
    return found.credentials.password
  }

  return {
    offer(methods, next) {
      // The first question comes before the server has said what it takes.
      if (methods === null) return next({ type: 'none', username: attempt.user })
      if (waiting === undefined) asked = { methods, next }
      else waiting({ methods, next })
      waiting = undefined
    },
    async run(ready, link) {
      const isIn = ready.then(() => null)
      while (true) {
        const next = question()
        const step = await context.deadline.within('login', () => link.unlessLost(Promise.race([isIn, next])))
        if (step === null) break
        step.next(await answerTo(step.methods.map(String)))
      }
      found?.accepted()
    },
  }
}

/** A private key, and its name for messages. `isOwn`: the caller has named this one key. */
interface Identity extends NamedKey {
  readonly isOwn: boolean
}

/** Returns the private keys in the order in which they are tried. */
async function identitiesOf({ privateKey, privateKeys }: SshOptions, context: RetrievalContext): Promise<Identity[]> {
  const own = privateKey === undefined ? [] : [{ name: 'ssh.privateKey', text: privateKey, isOwn: true }]
  const others = await context.deadline.unlimited(async () => (await privateKeys?.()) ?? [])
  return [...own, ...others.map((each) => ({ ...each, isOwn: false }))]
}

/**
 * Reads a private key. If there are several, it skips one whose passphrase is not known or that cannot be read (null),
 * as ssh does.
 */
async function readKey(
  { text, isOwn }: Identity,
  passphrase: string | undefined,
  context: RetrievalContext,
): Promise<ParsedKey | 'locked' | null> {
  const { utils } = (await loadSsh2()).default
  const key = utils.parseKey(text, passphrase)
  if (!(key instanceof Error)) return key
  const isLocked = /passphrase|decrypt|integrity|malformed/i.test(key.message) && /ENCRYPTED|OPENSSH/.test(text)
  if (!isOwn) return isLocked ? 'locked' : null
  const advice = { option: isLocked ? 'ssh.passphrase' : 'ssh.privateKey' } as const
  const what = !isLocked
    ? `The private key of ${adviceText(advice)} cannot be read; it must be in the format of OpenSSH or PEM.`
    : passphrase === undefined
      ? `The private key is encrypted; give its passphrase by ${adviceText(advice)}.`
      : `The passphrase of ${adviceText(advice)} does not open the private key.`
  throw context.error('auth-failed', what, { phase: 'login', advice })
}

/** Why keys were skipped: what the message says, and the option that it names. */
interface Locked {
  readonly text: string
  readonly advice: { readonly option: 'ssh.passphrase' }
}

function whyLocked(names: readonly string[], hasPassphrase: boolean): Locked | null {
  if (names.length === 0) return null
  const advice = { option: 'ssh.passphrase' } as const
  const keys = names.join(', ')
  if (hasPassphrase) return { text: `The passphrase of ${adviceText(advice)} does not open ${keys}.`, advice }
  const what = `${keys} ${names.length === 1 ? 'is' : 'are'} encrypted`
  return { text: `${what}: give the passphrase by ${adviceText(advice)}, or add the key to ssh-agent.`, advice }
}
