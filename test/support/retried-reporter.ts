import type { Reporter, TestModule } from 'vitest/node'

/** Names the tests that failed at first and passed when they ran once more, a line each; .ci/run collects the lines. */
export class RetriedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (!test.ok() || (test.diagnostic()?.retryCount ?? 0) === 0) continue
        process.stdout.write(`Retried: ${module.relativeModuleId} > ${test.fullName}\n`)
      }
    }
  }
}
