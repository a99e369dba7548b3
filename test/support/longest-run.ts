/**
 * How long a program that a test runs may take, in milliseconds: it ends what hangs, and names the program before the
 * limit of the test ends that (vitest.config.ts). A start of the command can take 15 s on a busy machine.
 */
export const longestRun = 50_000
