import { usageError } from '../exit-codes.ts'
import type { QueueAction } from '../options/lists/queue.ts'
import { addLists } from '../queue/add.ts'
import { cancel, failures, pause, remove, resume, retry } from '../queue/control.ts'
import type { Action } from '../queue/open.ts'
import { withQueue } from '../queue/open.ts'
import { status } from '../queue/status.ts'
import { work } from '../queue/work.ts'
import type { Run } from '../run.ts'

const actions: Readonly<Record<QueueAction, Action>> = {
  add: addLists,
  work,
  status,
  failures,
  retry,
  pause,
  resume,
  cancel,
  remove,
}

/** `retrieve queue ACTION`: a list of URLs in Redis, and its workers. */
export async function queue(run: Run): Promise<number> {
  const settings = run.config.queue
  if (settings === null) throw usageError('Nothing says what to do with the queue.')
  return withQueue(run, settings, actions[settings.action])
}
