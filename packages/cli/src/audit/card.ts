import type { AuditVerdict } from '@retriever/servers/audit'
import { table } from '../terminal/table.ts'
import { hanging } from '../terminal/wrap.ts'

/** How many scripts of a class ended in which way. */
export type Score = Record<AuditVerdict['outcome'], number>

/** The counts of each class, in the order of the verdicts, and of all. */
export function scoreOf(verdicts: readonly AuditVerdict[]): Readonly<Record<string, Score>> {
  const score: Record<string, Score> = {}
  const all = { passed: 0, failed: 0, skipped: 0 }
  for (const { class: own, outcome } of verdicts) {
    score[own] ??= { passed: 0, failed: 0, skipped: 0 }
    score[own][outcome]++
    all[outcome]++
  }
  return { ...score, all }
}

/** The score as a table, then what failed, and what was not judged, each with its reasons. */
export function card(verdicts: readonly AuditVerdict[], columns: number): string {
  const rows = Object.entries(scoreOf(verdicts)).map(([name, { passed, failed, skipped }]) => [
    name,
    ...[passed, failed, skipped].map(String),
  ])
  const scores = table([['CLASS', 'PASSED', 'FAILED', 'SKIPPED'], ...rows], (column) => column > 0)
  const failures = verdicts
    .filter(({ outcome }) => outcome === 'failed')
    .map(
      ({ class: own, name, reasons }) => `${hanging(`${own.padEnd(10)}`, `${name}: ${reasons.join('; ')}`, columns)}\n`,
    )
  const skips = new Map<string, number>()
  for (const { outcome, reasons } of verdicts) {
    if (outcome === 'skipped') skips.set(reasons.join('; '), (skips.get(reasons.join('; ')) ?? 0) + 1)
  }
  const skipped = [...skips].map(([reason, count]) => `${hanging('skipped   ', `${count}, ${reason}`, columns)}\n`)
  return [scores, failures.join(''), skipped.join('')].filter((part) => part !== '').join('\n')
}
