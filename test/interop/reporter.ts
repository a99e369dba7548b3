import type { Reporter, TestModule, TestSuite } from 'vitest/node'

/** Says at the end what was run against what, and why not against the rest. */
export class InteropReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const run: string[] = []
    const not: string[] = []
    for (const module of modules) {
      const mechanism = module.moduleId.replace(/^.*\//, '').replace('.test.ts', '')
      for (const suite of module.children.suites()) {
        const { passed, failed, skipped } = count(suite)
        if (passed + failed > 0) run.push(`${mechanism} with ${suite.name} (${passed} of ${passed + failed} passed)`)
        not.push(...skipped, ...suite.errors().map((error) => `${suite.name}: ${error.message}`))
      }
    }
    const lines = [`Interop: ${run.join(', ') || 'nothing was run'}`, ...not.map((reason) => `Not run: ${reason}`)]
    process.stdout.write(`${lines.join('\n')}\n\n`)
  }
}

function count(suite: TestSuite): { passed: number; failed: number; skipped: string[] } {
  // A test skipped without a note was not asked for (-t), or its server failed to start: suite.errors() says why.
  const counts = { passed: 0, failed: 0, skipped: [] as string[] }
  for (const test of suite.children.allTests()) {
    const result = test.result()
    if (result.state === 'passed') counts.passed++
    else if (result.state === 'failed') counts.failed++
    else if (result.state === 'skipped' && result.note !== undefined) counts.skipped.push(result.note)
  }
  return counts
}
