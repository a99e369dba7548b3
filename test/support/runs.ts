/** Whether this is `npm run test:all`, which does all that `npm test` does a share of: vitest.config.ts sets it. */
export const isFull: boolean = process.env.RETRIEVER_TEST_RUNS === 'full'

/** How many of these runs a test makes: an eighth of them in `npm test`, and all of them in `npm run test:all`. */
export function runs(count: number): number {
  return isFull ? count : Math.ceil(count / 8)
}
