import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isFull } from '../support/runs.ts'

/** Runs the program as `pnpm simulate` does: its clock is that of its whole process. */
async function simulated(seed: number, runs: number): Promise<string> {
  const program = fileURLToPath(new URL('run.mjs', import.meta.url))
  const running = promisify(execFile)(process.execPath, [program, String(seed), String(runs)], { maxBuffer: 2 ** 26 })
  return (await running.catch((error: { readonly stdout?: string }) => error)).stdout ?? ''
}

test('properties 11, 12, 18, 20, 21 and fault R40: cuts, delays, breaks and aborts at every point', {
  timeout: 1_200_000,
}, async () => {
  // The full number takes a minute, if the machine has two processors.
  const runs = isFull ? 100_000 : 200
  expect(await simulated(1, runs)).toMatch(new RegExp(`^${runs} runs, seed 1, [^:\\n]+: nothing found\\n$`))
})
