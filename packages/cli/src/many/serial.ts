import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'
import type { Exits } from './exits.ts'
import { Job } from './job.ts'

/** Retrieves URLs one after another; a failure does not stop the rest, unless --fail-early is given. */
export async function retrieveInTurn(operands: Iterable<string>, session: Session, exits: Exits): Promise<void> {
  const { config, signal } = session.run
  const { pace, failEarly } = config.many
  let begun = Number.NEGATIVE_INFINITY
  let index = 0
  for (const operand of operands) {
    const wait = begun + pace - performance.now()
    if (wait > 0) await sleep(wait, undefined, { signal })
    begun = performance.now()
    const job = new Job(operand, index++, session)
    const code = await runJob(job, signal)
    exits.add(job.index, code)
    if (failEarly && code !== 0) return
  }
}

async function runJob(job: Job, signal: AbortSignal): Promise<number> {
  try {
    await job.run()
  } catch (error) {
    if (!signal.aborted && !(error instanceof StdoutClosed)) return job.end(error)
    await job.tellKept()
    throw error
  }
  return job.end(null)
}
