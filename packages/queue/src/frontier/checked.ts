import { RetrievalError, redact, resolve } from '@retriever/core'
import { hostOf, sumOf } from './host.ts'
import type { Listed } from './source.ts'

/** A URL that a queue can keep. */
export interface CheckedUrl {
  readonly url: string
  readonly login: string | null
  readonly host: string
  readonly sum: Buffer
}

/** Throws `malformed-url` and other errors of resolve(), or `invalid-option` for what no queue may keep. */
export function checkListed({ url, login, number }: Listed): CheckedUrl {
  const trimmed = url.trim()
  try {
    if (/[\0-\x1F\x7F]/.test(trimmed)) throw refused(number, trimmed, 'it has control characters; escape them')
    const resolution = resolve(trimmed)
    if (resolution.locator.password !== null) {
      const way = 'name a login, as @name behind the URL, and give its password to the workers'
      throw refused(number, trimmed, `a queue keeps no password; ${way}`)
    }
    if (login !== null && !/^[\w.-]{1,64}$/.test(login)) {
      throw refused(number, trimmed, 'the name of its login has other than 1 to 64 letters, digits and . _ -')
    }
    return { url: trimmed, login, host: hostOf(resolution), sum: sumOf(trimmed) }
  } catch (error) {
    if (!RetrievalError.is(error) || error.code === 'invalid-option') throw error
    const { code, phase, span, advice } = error
    throw new RetrievalError(code, `Line ${number}: ${error.message}`, {
      phase,
      span,
      advice,
      url: shown(trimmed),
      cause: error,
    })
  }
}

function refused(number: number, url: string, why: string): RetrievalError {
  const message = `Line ${number}: ${shown(url)} is not added: ${why}.`
  return new RetrievalError('invalid-option', message, { phase: 'resolve', url: shown(url) })
}

/** So much of a URL is shown. */
const mostShown = 200

/** The URL is redacted before it is cut, since a cut password looks like a port. */
function shown(url: string): string {
  const safe = redact(url)
  return safe.length > mostShown ? `${safe.slice(0, mostShown)}...` : safe
}
