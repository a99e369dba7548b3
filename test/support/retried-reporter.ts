import type { Reporter, TestModule } from 'vitest/node'
import { mayRetry } from './may-retry.ts'

/**
 * Names the tests that failed at first and passed when they ran once more, and their first error, a line each; .ci/run
 * collects the lines. The run fails, unless `mayRetry` has a reason for each of them.
 */
export class RetriedReporter implements Reporter {
  readonly #reasons: Readonly<Record<string, string>>
  readonly #tell: (line: string) => void

  constructor(reasons = mayRetry, tell = (line: string): void => void process.stdout.write(line)) {
    this.#reasons = reasons
    this.#tell = tell
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (!test.ok() || (test.diagnostic()?.retryCount ?? 0) === 0) continue
        const name = `${module.relativeModuleId} > ${test.fullName}`
        const reason = this.#reasons[name]
        if (reason === undefined) process.exitCode = 1
        const [error] = test.result().errors ?? []
        const why = reason ?? 'no reason in test/support/may-retry.ts: the run fails'
        this.#tell(`Retried: ${name} (${why}); at first: ${error?.message.split('\n')[0]}\n`)
      }
    }
  }
}
