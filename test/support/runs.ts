/** Whether this is `npm run test:all`, which does all that `npm test` does a share of: vitest.config.ts sets it. */
export const isFull: boolean = process.env.RETRIEVER_TEST_RUNS === 'full'

/** Whether this is `pnpm mutate`, which runs the tests again for each change of the code. */
export const isMutated: boolean = process.env.RETRIEVER_TEST_RUNS === 'few'

/** How many of these runs a test makes: a sixteenth in `npm test`, a hundredth in `pnpm mutate`, else all of them. */
export function runs(count: number): number {
  if (isFull) return count
  return Math.ceil(count / (isMutated ? 100 : 16))
}

/** How far apart the cases are that a test takes of many which are alike: `npm test` takes each third one. */
export const stride: number = isFull ? 1 : 3
