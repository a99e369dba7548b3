import { Random } from './random.ts'
import type { Target } from './target.ts'

export interface Failure {
  /** As small as it was found to fail. */
  readonly input: readonly string[]
  readonly message: string
}

/** Tries a target so many times; the first failure, made smaller, or null. */
export async function fuzz(target: Target, runs: number, seed: number): Promise<Failure | null> {
  const random = new Random(seed)
  for (let run = 0; run < runs; run++) {
    const input = target.generate(random)
    const message = await failureOf(target, input)
    if (message !== null) return target.isWhole ? { input, message } : smaller(target, { input, message })
  }
  return null
}

export async function failureOf(target: Target, input: readonly string[]): Promise<string | null> {
  try {
    // Only promises are awaited: most checks are done at once.
    const pending = target.check(...input)
    if (pending !== undefined) await pending
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Takes out what can be taken out, in pieces that grow smaller. */
async function smaller(target: Target, failure: Failure): Promise<Failure> {
  let best = failure
  for (let size = 64; size >= 1; size = Math.floor(size / 2)) {
    for (let part = 0; part < best.input.length; part++) {
      for (let at = 0; at < (best.input[part] ?? '').length; at++) {
        const input = best.input.map((text, index) =>
          index === part ? text.slice(0, at) + text.slice(at + size) : text,
        )
        const message = await failureOf(target, input)
        if (message === null) continue
        best = { input, message }
        at--
      }
    }
  }
  return best
}
