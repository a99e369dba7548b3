import { domainToASCII } from 'node:url'
import { type ResolveOptions, RetrievalError } from '@retriever/core'
import type { Random } from './random.ts'

/** One thing to try. The input is texts alone, so that it can be printed and made smaller. */
export interface Target {
  readonly about: string
  /** The input must stay as it was made: a secret is one only where it was planted. */
  readonly isWhole?: boolean
  generate(random: Random): readonly string[]
  /** Throws where something is wrong. May be asynchronous. */
  check(...input: readonly string[]): void | Promise<void>
}

/** All that can be asked of core. */
export const options: ResolveOptions = {
  domainToAscii: domainToASCII,
  whatwgHost: (url) => whatwgUrl(url)?.hostname ?? null,
}

/** Not by URL.canParse: of Node 20, once it is optimised, it refuses every URL with a letter of Latin-1. */
export function whatwgUrl(url: string): URL | null {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/** The result of a call, or the one error that it may throw. */
export function attempt<T>(run: () => T): T | RetrievalError {
  try {
    return run()
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
}

export function require(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

/** Compared as JSON, which plans are made of. */
export function requireEqual(actual: unknown, expected: unknown, what: string): void {
  const [shown, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (shown !== wanted) throw new Error(`${what}: ${shown} is not ${wanted}`)
}
