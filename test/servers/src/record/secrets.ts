import { RetrievalError, redact } from '@retriever/core'
import { isSecretField } from '@retriever/core/internal'
import type { Credentials } from '@retriever/fetchers/plugin'

/**
 * A shorter secret is hidden only if a name marks it as a secret. Elsewhere, hiding it would also hide parts of other
 * words.
 */
const minLength = 4
/** Many shorter cookies are settings and no secrets, such as `true` and `dark`. */
const minCookie = 8

/** How many secrets are remembered. A server may set a new cookie each time; the oldest secrets are forgotten first. */
const maxKnown = 1000

/** Collects the secrets of one recording, and removes them from texts and octets. */
export class Secrets {
  readonly #known = new Set<string>()

  /** Adds a secret in all forms in which a server may repeat it. */
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

  /** Adds the login as Basic sends it (RFC 7617). */
  addBasic(user: string, password: string): void {
    for (const charset of ['utf8', 'latin1'] as const) {
      if (password !== '') this.add(Buffer.from(`${user}:${password}`, charset).toString('base64'))
    }
  }

  /** Adds the values of header fields that hold secrets, and those of cookies that a server sets. */
  addField(name: string, value: string): void {
    if (!isSecretField(name)) return
    const isCookie = /cookie/i.test(name)
    if (!isCookie) {
      this.add(value)
      this.add(/^(?:basic|bearer|digest) (.+)$/i.exec(value)?.[1]?.trim())
      return
    }
    // The parts of Set-Cookie after the first one are attributes, such as Path and Expires (RFC 6265 4.1.1).
    const cookies = value.split(';').slice(0, /^set-/i.test(name) ? 1 : undefined)
    for (const cookie of cookies) this.add(cookie.slice(cookie.indexOf('=') + 1).trim(), minCookie)
  }

  /** Adds the values of parameters that `redact` treats as secrets. */
  addParameters(url: string): void {
    for (const [parameter, value] of url.matchAll(/[?&;#][^=?&;#\s]{1,100}=([^&;#\s]*)/g)) {
      if (redact(parameter) !== parameter) this.add(value)
    }
  }

  /** Replaces each octet of a secret by an asterisk, so that the length stays. */
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

  /**
   * Returns the value as plain data without secrets. Members and header fields whose names mean secrets become `***`.
   */
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
 * Returns the forms in which a server may repeat a secret: as text, as octets, with escapes of URLs, and in JSON. Plans
 * and dialogues hold octets, one a character, but a login that the caller was asked for is text.
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

/** Converts the text. Returns it unchanged if that fails: it has a bad escape, or half a surrogate pair. */
function converted(convert: (text: string) => string, text: string): string {
  try {
    return convert(text)
  } catch {
    return text
  }
}
