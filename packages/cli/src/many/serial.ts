import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'
import type { Entries } from './entries.ts'
import { Job } from './job.ts'
import type { Tally } from './tally.ts'

/** Retrieves URLs one after another; a failure does not stop the rest, unless --fail-early is given. */
export async function retrieveInTurn(entries: Entries, session: Session, tally: Tally): Promise<void> {
  const { config, signal } = session.run
  const { pace, failEarly } = config.many
  let begun = Number.NEGATIVE_INFINITY
  for await (const entry of entries) {
    const wait = begun + pace - performance.now()
    if (wait > 0) await sleep(wait, undefined, { signal })
    begun = performance.now()
    await runJob(new Job(entry, session), signal, tally)
    if (failEarly && tally.failed > 0) return
  }
}

async function runJob(job: Job, signal: AbortSignal, tally: Tally): Promise<void> {
  try {
    const prepared = await job.prepare()
    if (prepared === null) return tally.skipped(job)
    await job.run(prepared)
  } catch (error) {
    if (signal.aborted || error instanceof StdoutClosed) {
      tally.brokenOff(job, error)
      await job.tellKept()
      throw error
    }
    await job.end(error, tally)
    return
  }
  await job.end(null, tally)
}
