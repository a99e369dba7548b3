import { printable } from '@retriever/core'
import { usageError } from '../exit-codes.ts'
import { jsonLine, withoutSecrets } from '../terminal/output.ts'
import { canAsk, promptLine } from '../terminal/prompt.ts'
import { urlsOf } from './add.ts'
import type { Action, QueueRun } from './open.ts'

/** `retrieve queue failures`: a line for each URL that failed for good. */
export const failures: Action = async ({ config, output, queue }) => {
  for await (const failure of queue.failures()) {
    const { url, code, message } = failure
    const told = message.startsWith(url) ? message : `${url}: ${message}`
    await output.write(config.json ? jsonLine(withoutSecrets(failure)) : `${code} ${printable(told)}\n`)
  }
  return 0
}

export const retry: Action = async (run) => {
  const retried = await run.queue.retry()
  return tell(run, { retried }, `${urlsOf(retried)} of the queue ${run.settings.name} will be tried again`)
}

export const pause: Action = async (run) => {
  await run.queue.pause()
  const { name } = run.settings
  return tell(run, { paused: true }, `the queue ${name} is paused: workers end what is under way, and take no more`)
}

export const resume: Action = async (run) => {
  await run.queue.resume()
  return tell(run, { paused: false }, `the queue ${run.settings.name} goes on`)
}

/** `retrieve queue cancel`: asks first. Returns 0 also if the answer is no. */
export const cancel: Action = async (run) => {
  const { queue, settings } = run
  if (!(await agrees(run, 'cancel', (urls) => `Drop the ${urls} that are left of`))) {
    return tell(run, { cancelled: 0 }, 'nothing is cancelled')
  }
  const cancelled = await queue.cancel()
  return tell(run, { cancelled }, `${urlsOf(cancelled)} of the queue ${settings.name} cancelled`)
}

/** `retrieve queue remove`: asks first, as cancel does. What is stored stays. */
export const remove: Action = async (run) => {
  const { queue, settings } = run
  if (!(await agrees(run, 'remove', (urls) => `Drop all that is known, and the ${urls} that are left, of`))) {
    return tell(run, { removed: false }, 'nothing is removed')
  }
  await queue.remove()
  return tell(run, { removed: true }, `the queue ${settings.name} is removed; what is stored stays`)
}

/** Whether a person says yes, or --yes does. Throws `invalid-option` if nobody can be asked. */
async function agrees(
  { queue, settings, output, signal }: QueueRun,
  action: 'cancel' | 'remove',
  question: (left: string) => string,
): Promise<boolean> {
  if (settings.isSure) return true
  if (!canAsk(output)) throw usageError(`queue ${action} drops URLs: give --yes, since nobody can be asked.`)
  const { left } = await queue.progress()
  const text = `${question(urlsOf(left))} the queue ${settings.name} at ${settings.shownPlace}? [y/N]`
  return /^y(es)?$/i.test((await promptLine(text, true, output, signal)).trim())
}

async function tell({ config, output }: QueueRun, told: object, message: string): Promise<number> {
  if (config.json) await output.write(jsonLine(told))
  else if (!config.silent) output.note(`retrieve: ${message}`)
  return 0
}
