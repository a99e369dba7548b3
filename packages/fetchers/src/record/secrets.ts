import { isSecretField, RetrievalError, redact } from '@retriever/core'
import type { Credentials } from '../contract/fetcher.ts'

/** A shorter secret is hidden only where a name says what it is: elsewhere, it would hide parts of other words. */
const minLength = 4
/** Many cookies are no secrets but settings, such as `true` and `dark`. */
const minCookie = 8

/** The most secrets that are remembered: a server may set a new cookie each time. The oldest ones go first. */
const maxKnown = 1000

/** The secrets of one recording, as they become known, and the texts and octets without them. */
export class Secrets {
  readonly #known = new Set<string>()

  /** Notes a secret in the forms in which a server may repeat it. */
  add(secret: string | null | undefined, least: number = minLength): void {
    if (secret == null || secret.length < least) return
    for (const form of formsOf(secret)) this.#known.add(form)
    for (const oldest of this.#known) {
      if (this.#known.size <= maxKnown) break
      this.#known.delete(oldest)
    }
  }

  addLogin(login: Credentials | null): void {
    if (login === null) return
    const { user, password, account, token } = login
    for (const secret of [password, account, token]) this.add(secret)
    this.addBasic(user, password)
  }

  /** The login as Basic sends it (RFC 7617). */
  addBasic(user: string, password: string): void {
    for (const charset of ['utf8', 'latin1'] as const) {
      if (password !== '') this.add(Buffer.from(`${user}:${password}`, charset).toString('base64'))
    }
  }

  /** Notes the values of header fields that hold secrets, and those of the cookies that a server sets. */
  addField(name: string, value: string): void {
    if (!isSecretField(name)) return
    const isCookie = /cookie/i.test(name)
    if (!isCookie) {
      this.add(value)
      this.add(/^(?:basic|bearer|digest) (.+)$/i.exec(value)?.[1]?.trim())
      return
    }
    // The parts of Set-Cookie behind the first one are attributes: Path, Expires (RFC 6265 4.1.1).
    const cookies = value.split(';').slice(0, /^set-/i.test(name) ? 1 : undefined)
    for (const cookie of cookies) this.add(cookie.slice(cookie.indexOf('=') + 1).trim(), minCookie)
  }

  /** Notes the values of parameters that `redact` takes for secrets. */
  addParameters(url: string): void {
    for (const [parameter, value] of url.matchAll(/[?&;#][^=?&;#\s]{1,100}=([^&;#\s]*)/g)) {
      if (redact(parameter) !== parameter) this.add(value)
    }
  }

  /** The same octets, with asterisks in place of secrets, so that their number stays. */
  hideIn(octets: Uint8Array): Buffer {
    const hidden = Buffer.from(octets)
    for (const secret of this.#known) {
      for (const wanted of [Buffer.from(secret, 'utf8'), Buffer.from(secret, 'latin1')]) {
        for (let at = hidden.indexOf(wanted); at >= 0; at = hidden.indexOf(wanted, at)) {
          hidden.fill('*', at, at + wanted.length)
        }
      }
    }
    return hidden
  }

  /** The value as plain data without secrets. Members and header fields with the names of secrets are `***`. */
  hide(value: unknown, name: string = ''): unknown {
    if (typeof value === 'string') return isSecretField(name) ? '***' : this.#hideText(value)
    if (value instanceof Date) return value.toISOString()
    if (Array.isArray(value)) {
      const [field, ...rest] = value
      if (rest.length === 1 && typeof field === 'string' && isSecretField(field)) return [field, '***']
      return value.map((each) => this.hide(each))
    }
    if (typeof value !== 'object' || value === null) return value
    return this.hideMembers(RetrievalError.is(value) ? value.toJSON() : value)
  }

  hideMembers(members: object): Record<string, unknown> {
    return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, this.hide(value, name)]))
  }

  #hideText(text: string): string {
    let hidden = redact(text)
    for (const secret of this.#known) hidden = hidden.replaceAll(secret, '***')
    return hidden
  }
}

/**
 * The forms in which a server may repeat a secret: as text, as octets, with escapes of URLs, and in JSON. Plans have
 * octets, one a character, and so have the lines of a dialogue; logins that were asked for are text.
 */
function formsOf(secret: string): readonly string[] {
  const octets = Buffer.from(secret, 'utf8').toString('latin1')
  const text = Buffer.from(secret, 'latin1').toString('utf8')
  const all = Buffer.from(text, 'utf8').toString('latin1') === secret ? [secret, octets, text] : [secret, octets]
  return all.flatMap((form) => [
    form,
    converted(decodeURIComponent, form),
    converted(encodeURIComponent, form),
    JSON.stringify(form).slice(1, -1),
  ])
}

/** The text unchanged where it cannot be converted: a bad escape, half a surrogate pair. */
function converted(convert: (text: string) => string, text: string): string {
  try {
    return convert(text)
  } catch {
    return text
  }
}
