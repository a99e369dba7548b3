import { printable, type Resolution } from '@retriever/core'
import type { Challenge, Credentials } from '@retriever/fetchers'
import type { Config } from '../config.ts'
import { usageError } from '../exit-codes.ts'
import { type Netrc, netrcLogin, withoutDefault } from '../netrc.ts'
import type { Login } from '../options/connection/login.ts'
import type { Output } from './output.ts'
import { canAsk, Prompter, promptLine } from './prompt.ts'

/**
 * Answers servers that ask for a login, from -u and --ftp-account, from -n, or by asking the person at the terminal.
 */
export class CredentialPrompt {
  readonly #login: Login | null
  readonly #account: string | null
  readonly #netrc: Netrc | null
  readonly #output: Output
  readonly #signal: AbortSignal
  /** Whether nobody at the terminal is asked, and even the logins of -n are only for typed URLs. */
  readonly #isCheck: boolean
  /** The questions that were asked, and their answers. Several retrievals may need the same answer at a time. */
  readonly #asked = new Map<string, Promise<Credentials | null>>()
  readonly #accounts = new Map<string, Promise<string>>()
  readonly #places = new Set<string>()
  #proxyPassword: Promise<string> | undefined

  constructor(
    config: Pick<Config, 'login' | 'account' | 'netrc'>,
    output: Output,
    signal: AbortSignal,
    isCheck = false,
  ) {
    const { login, account, netrc } = config
    this.#login = login
    this.#netrc = netrc
    this.#account = account
    this.#output = output
    this.#signal = signal
    this.#isCheck = isCheck
  }

  /** Notes the host and port of a typed URL. Only these get the login of -u and --ftp-account (CVE-2018-1000007). */
  enter({ plan }: Resolution): void {
    if ('port' in plan) this.#places.add(placeOf(plan.host ?? '', plan.port))
  }

  /** The answer for the client; null if no login is known and nobody can be asked. */
  async answer(challenge: Challenge): Promise<Credentials | null> {
    const place = placeOf(challenge.host, challenge.port)
    if (challenge.account) return this.#answerAccount(challenge, place)
    const isTyped = this.#places.has(place)
    const login = isTyped ? this.#login : null
    const user = challenge.user ?? login?.user ?? null
    if (login !== null && login.password !== null && login.user === user) return { user, password: login.password }
    const netrc = isTyped ? this.#netrc : withoutDefault(this.#netrc)
    const listed = isTyped || !this.#isCheck ? netrcLogin(netrc, challenge.host, user) : null
    if (listed !== null) return listed
    const key = `${user ?? ''}@${place}`
    const asked = this.#asked.get(key) ?? this.#ask(challenge, user)
    this.#asked.set(key, asked)
    return await asked
  }

  /** Answers with an account; of this answer the client uses only the account. */
  async #answerAccount({ user }: Challenge, place: string): Promise<Credentials | null> {
    const name = user ?? ''
    const typed = this.#places.has(place) ? this.#account : null
    if (typed !== null) return typed === '' ? null : { user: name, password: '', account: typed }
    const key = `${name}@${place}`
    const asked = this.#accounts.get(key) ?? this.#askAccount(name, place)
    this.#accounts.set(key, asked)
    const account = await asked
    return account === '' ? null : { user: name, password: '', account }
  }

  async #askAccount(user: string, place: string): Promise<string> {
    return !this.#isCheck && canAsk(this.#output)
      ? this.#prompt(`Account for ${printable(`${user}@${place}`)}: `, false)
      : ''
  }

  /** The login of -U. Its password is asked for only once. */
  async proxyLogin({ user, password }: Login): Promise<Credentials> {
    if (password !== null) return { user, password }
    if (!canAsk(this.#output))
      throw usageError('There is no terminal to ask for the password: give --proxy-user USER:PASSWORD.')
    this.#proxyPassword ??= this.#prompt(`Password of ${printable(user)} at the proxy: `, false)
    return { user, password: await this.#proxyPassword }
  }

  async #ask(challenge: Challenge, user: string | null): Promise<Credentials | null> {
    if (this.#isCheck || !canAsk(this.#output)) return null
    using prompter = await Prompter.open(this.#output, this.#signal)
    const where = askerOf(challenge)
    const name = user ?? (await prompter.ask(`User at ${where}: `, true))
    if (name === null || name === '') return null
    const password = await prompter.ask(`Password of ${printable(name)} at ${where}: `, false)
    return { user: name, password: password ?? '' }
  }

  #prompt(text: string, echo: boolean): Promise<string> {
    return promptLine(text, echo, this.#output, this.#signal)
  }
}

/** Who asks: `www.example.org:80 ("Staff only")`. A realm that only repeats the host is left out. */
function askerOf({ host, port, realm }: Challenge): string {
  const place = placeOf(host, port)
  return realm === '' || realm.endsWith(host) ? place : `${place} (${JSON.stringify(printable(realm))})`
}

function placeOf(host: string, port: number): string {
  return `${host}:${port}`
}
