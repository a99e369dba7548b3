import { createHash } from 'node:crypto'
import { formatLocator, normalizeUrl, parseUrl, RetrievalError, redact } from '@retriever/core'
import { type Key, keyOf } from '@retriever/fetchers/internal'

/**
 * What a list asks for: a URL, and the name of its file, if the list gives one. Two items with the same key are one.
 */
export interface Item {
  /** The URL in its normal form, without secrets. */
  readonly url: string
  /** A sum of the whole URL, if it has secrets besides a password: two such URLs may be two resources. */
  readonly id?: string
  /** The name of the file, if the list gives one. */
  readonly name?: string
  readonly key: Key
}

export function itemOf(url: string, name: string | null): Item {
  const whole = normalOf(url)
  const shown = redact(whole)
  const id = shown === whole ? {} : { id: createHash('sha256').update(whole).digest('hex').slice(0, 32) }
  const named = { url: shown, ...id, ...(name !== null && { name }) }
  let key: Key | undefined
  return {
    ...named,
    // Only journals need it, and a sum takes long.
    get key() {
      key ??= keyOfItem(named)
      return key
    },
  }
}

/** A text that no other item has. */
export function textOfItem({ url, id, name }: Omit<Item, 'key'>): string {
  return `${id ?? url}\t${name ?? ''}`
}

/** The key of an item, also as a line of the journal has it. */
export function keyOfItem(item: Omit<Item, 'key'>): Key {
  return keyOf(textOfItem(item))
}

/** The URL in its normal form, without the password, which names no resource. A malformed one stays as it is. */
function normalOf(url: string): string {
  try {
    const normal = normalizeUrl(url)
    return normal.includes('@') ? formatLocator({ ...parseUrl(normal), password: null }) : normal
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return redact(url)
  }
}
