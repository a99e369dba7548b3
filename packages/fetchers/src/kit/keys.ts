import { createHash } from 'node:crypto'

/** 16 octets that stand for a text. Among 10^9 texts, two have the same ones with a probability of 10^-21. */
export type Key = Uint32Array

export function keyOf(text: string): Key {
  const digest = createHash('sha256').update(text).digest()
  const key = new Uint32Array(4)
  for (let word = 0; word < 4; word++) key[word] = digest.readUInt32LE(4 * word)
  // A place without a key is all zero.
  if (key[0] === 0 && key[1] === 0 && key[2] === 0 && key[3] === 0) key[0] = 1
  return key
}

/** The tables of a set. Each grows by itself, so that little is held twice while one grows. */
const tables = 64
/** The share of places that may be taken, in hundredths. */
const mostTaken = 80
const firstPlaces = 8
const growth = 1.5

/** Keys, at 20 to 30 octets each, and with `hasValues` a number other than 0 for each, at 8 to 15 octets more. */
export class Keys {
  readonly #hasValues: boolean
  readonly #tables: (Table | undefined)[] = Array.from({ length: tables })
  #size = 0

  constructor({ hasValues = false }: { readonly hasValues?: boolean } = {}) {
    this.#hasValues = hasValues
  }

  get size(): number {
    return this.#size
  }

  /** Adds a key. Returns false if it is there already. */
  add(key: Key): boolean {
    const table = this.#tableOf(key)
    if (table.has(key)) return false
    table.set(key, 0)
    this.#size++
    return true
  }

  has(key: Key): boolean {
    return this.#tables[number(key)]?.has(key) ?? false
  }

  /** The value of a key; 0 if there is no such key. */
  get(key: Key): number {
    return this.#tables[number(key)]?.get(key) ?? 0
  }

  set(key: Key, value: number): void {
    const table = this.#tableOf(key)
    if (!table.has(key)) this.#size++
    table.set(key, value)
  }

  #tableOf(key: Key): Table {
    const index = number(key)
    this.#tables[index] ??= new Table(this.#hasValues)
    return this.#tables[index]
  }
}

/** The most texts that are held as they are: to make a key takes ten times as long as to look for a text. */
const mostPlain = 10_000

/** A set of texts: while they are few, as they are, and then by their keys. */
export class Texts {
  #plain: Set<string> | null = new Set()
  readonly #keys = new Keys()

  get size(): number {
    return this.#plain?.size ?? this.#keys.size
  }

  has(text: string): boolean {
    return this.#plain?.has(text) ?? this.#keys.has(keyOf(text))
  }

  /** Adds a text. Returns false if it is there already. */
  add(text: string): boolean {
    if (this.#plain === null) return this.#keys.add(keyOf(text))
    if (this.#plain.has(text)) return false
    this.#plain.add(text)
    if (this.#plain.size > mostPlain) {
      for (const each of this.#plain) this.#keys.add(keyOf(each))
      this.#plain = null
    }
    return true
  }
}

function number(key: Key): number {
  return (key[3] ?? 0) % tables
}

/** A hash table with open addressing. */
class Table {
  #keys = new Uint32Array(4 * firstPlaces)
  #values: Float64Array | null
  #places = firstPlaces
  #taken = 0

  constructor(hasValues: boolean) {
    this.#values = hasValues ? new Float64Array(firstPlaces) : null
  }

  has(key: Key): boolean {
    return !this.#isFree(this.#find(key))
  }

  get(key: Key): number {
    return this.#values?.[this.#find(key)] ?? 0
  }

  set(key: Key, value: number): void {
    let place = this.#find(key)
    if (this.#isFree(place)) {
      if ((this.#taken + 1) * 100 > this.#places * mostTaken) {
        this.#grow()
        place = this.#find(key)
      }
      this.#keys.set(key, 4 * place)
      this.#taken++
    }
    if (this.#values !== null) this.#values[place] = value
  }

  /** The place of a key, or the free one where it would stand. */
  #find(key: Key): number {
    const keys = this.#keys
    for (let place = (key[0] ?? 0) % this.#places; ; place = (place + 1) % this.#places) {
      if (this.#isFree(place)) return place
      const at = 4 * place
      if (keys[at] === key[0] && keys[at + 1] === key[1] && keys[at + 2] === key[2] && keys[at + 3] === key[3]) {
        return place
      }
    }
  }

  #isFree(place: number): boolean {
    const at = 4 * place
    const keys = this.#keys
    return keys[at] === 0 && keys[at + 1] === 0 && keys[at + 2] === 0 && keys[at + 3] === 0
  }

  #grow(): void {
    const [keys, values, places] = [this.#keys, this.#values, this.#places]
    this.#places = Math.ceil(places * growth)
    this.#keys = new Uint32Array(4 * this.#places)
    if (values !== null) this.#values = new Float64Array(this.#places)
    for (let place = 0; place < places; place++) {
      const key = keys.subarray(4 * place, 4 * place + 4)
      if (key.every((word) => word === 0)) continue
      const to = this.#find(key)
      this.#keys.set(key, 4 * to)
      if (this.#values !== null && values !== null) this.#values[to] = values[place] ?? 0
    }
  }
}
