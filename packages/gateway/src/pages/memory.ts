import { randomBytes } from 'node:crypto'
import { decodeOctets, encodeOctets, formatLocator, type Resolution } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import { isSecret } from '../guard.ts'
import { Refusal } from '../problem.ts'

/** How long a login is kept after its last use, in milliseconds. */
const loginLife = 30 * 60_000
/** How many servers are remembered. */
const most = 1000

/** How many answers to forms are kept. A page has at most 4 MiB. */
const mostAnswers = 16

/** The answer of a server to a form, with its media type. */
export interface FormAnswer {
  readonly url: string
  readonly type: string
  readonly octets: Buffer
}

interface Login {
  readonly user: string
  readonly password: string
  usedAt: number
}

/** The logins and accepted warnings of the people who use the pages, and answers to their forms. No file has them. */
export class Memory {
  /** Proves that a form was on a page of this gateway. */
  readonly token: string = randomBytes(18).toString('base64url')
  /** The key of the labels of origins. */
  readonly key: string = randomBytes(18).toString('base64url')
  readonly #logins = new Map<string, Login>()
  readonly #accepted = new Set<string>()
  readonly #answers = new Map<string, FormAnswer>()

  /** Throws unless a form has the token. */
  check(given: string | null): void {
    if (isSecret(given ?? '', this.token)) return
    throw new Refusal(
      403,
      'The form is not from a page of this gateway, or the gateway has started anew; load it again.',
    )
  }

  /** Keeps a login for the server of a URL. */
  keep(resolution: Resolution, user: string, password: string): void {
    if (this.#logins.size >= most) this.#logins.clear()
    this.#logins.set(serverOf(resolution), { user, password, usedAt: Date.now() })
  }

  /** The URL with the login that is kept for its server. */
  withLogin(resolution: Resolution): string {
    const { url, locator, scheme } = resolution
    const server = serverOf(resolution)
    const login = this.#logins.get(server)
    if (login === undefined || scheme.userinfo !== 'allowed') return url
    if (locator.user !== null && decoded(locator.user) !== login.user) return url
    if (Date.now() - login.usedAt > loginLife) {
      this.#logins.delete(server)
      return url
    }
    login.usedAt = Date.now()
    const [user, password] = [login.user, login.password].map((text) => encodeOctets(utf8Octets(text)))
    return formatLocator({ ...locator, user: user ?? null, password: password ?? null })
  }

  /** Keeps an answer, since a form is sent once. Returns its key; the oldest answers give way. */
  keepAnswer(answer: FormAnswer): string {
    const [oldest] = this.#answers.keys()
    if (oldest !== undefined && this.#answers.size >= mostAnswers) this.#answers.delete(oldest)
    const key = randomBytes(18).toString('base64url')
    this.#answers.set(key, answer)
    return key
  }

  /** The answer of a key. Throws if it is kept no longer. */
  answer(key: string, url: string): FormAnswer {
    const kept = this.#answers.get(key)
    if (kept?.url === url) return kept
    throw new Refusal(404, 'The answer to the form is kept no longer; send the form again.')
  }

  /** Notes that a person goes on in spite of warnings on a server. */
  accept(resolution: Resolution): void {
    if (this.#accepted.size >= most) this.#accepted.clear()
    for (const { code } of resolution.findings) this.#accepted.add(`${code} ${serverOf(resolution)}`)
  }

  /** The warnings on a URL that no person has accepted for its server. */
  unaccepted(resolution: Resolution): Resolution['findings'] {
    const server = serverOf(resolution)
    return resolution.findings.filter(({ code, severity }) => {
      return severity === 'warning' && !this.#accepted.has(`${code} ${server}`)
    })
  }
}

/** A part of a URL as text. */
export function decoded(part: string): string {
  return Buffer.from(decodeOctets(part), 'latin1').toString()
}

function serverOf({ scheme, locator: { host, port } }: Resolution): string {
  return `${scheme.name}://${(host ?? '').toLowerCase()}:${port ?? scheme.defaultPort ?? ''}`
}
