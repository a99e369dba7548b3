import type { Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { OptionKind } from '../kit/options.ts'
import { orWriteFailed } from './local-file.ts'

/** The hash functions, and how many hexadecimal digits their checksums have. MD5 and SHA-1 do not stop forgers. */
const digits = { sha256: 64, sha512: 128, sha1: 40, md5: 32 } as const

/** A hash function. `sha1` and `md5` find damage but no forgery: files with equal checksums can be made. */
export type HashName = keyof typeof digits

/** The checksum that a file must have. */
export interface Checksum {
  readonly algorithm: HashName
  /** Hexadecimal digits, in upper or lower case. */
  readonly value: string
}

/** The checksum of the octets that have been read; see Representation.hash. */
export interface BodyHash {
  /** Returns the checksum so far in lower-case hexadecimal digits. */
  hex(): string
}

/** Whether a value is the name of a hash function. */
export function isHashName(value: unknown): value is HashName {
  return typeof value === 'string' && Object.hasOwn(digits, value)
}

export const checksum: OptionKind = [
  'an object { algorithm, value }: sha256, sha512, sha1 or md5, and the sum in hexadecimal digits',
  (value) => {
    if (typeof value !== 'object' || value === null || !('algorithm' in value) || !('value' in value)) return false
    const { algorithm, value: hex } = value
    if (!isHashName(algorithm) || typeof hex !== 'string') return false
    return hex.length === digits[algorithm] && /^[0-9a-f]+$/i.test(hex)
  },
]

/** The checksums of one body, computed while it is read. */
export class Digests {
  readonly #hashes = new Map<HashName, Hash>()
  /** The states to return to if the body starts over: those after the octets that the file had before. */
  readonly #before = new Map<HashName, Hash>()

  /** Adds a hash function. Call it before the body is read. */
  add(name: HashName): BodyHash {
    if (!this.#hashes.has(name)) this.#hashes.set(name, newHash(name))
    return { hex: () => this.#sum(name) }
  }

  update(octets: Uint8Array): void {
    for (const hash of this.#hashes.values()) hash.update(octets)
  }

  /** Hashes the first octets of a file before those of the body. Rejects with `write-failed`. */
  async begin(path: string, length: number): Promise<void> {
    if (length === 0 || this.#hashes.size === 0) return
    await orWriteFailed(path, async () => {
      for await (const chunk of createReadStream(path, { end: length - 1 })) this.update(chunk)
    })
    for (const [name, hash] of this.#hashes) this.#before.set(name, hash.copy())
  }

  /** Forgets the octets of the body, since they come again from the first one. */
  startOver(): void {
    for (const name of this.#hashes.keys()) {
      this.#hashes.set(name, this.#before.get(name)?.copy() ?? newHash(name))
    }
  }

  /** Throws `checksum-failed` unless the octets have this checksum. */
  check(expected: Checksum | undefined, path: string, url: string | undefined): void {
    if (expected === undefined) return
    const { algorithm } = expected
    const value = expected.value.toLowerCase()
    const sum = this.#sum(algorithm)
    if (sum === value) return
    const message = `${path} was not saved: its ${algorithm} is ${sum}, but should be ${value}.`
    throw new RetrievalError('checksum-failed', message, { phase: 'save', url })
  }

  #sum(name: HashName): string {
    return this.#hashes.get(name)?.copy().digest('hex') ?? ''
  }
}

/** node:crypto is loaded only here, since few retrievals need it. */
function newHash(name: HashName): Hash {
  return process.getBuiltinModule('node:crypto').createHash(name)
}
