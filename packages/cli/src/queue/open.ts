import { access, constants } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import { openQueue, type Queue } from '@retriever/queue'
import type { QueueSettings } from '../options/lists/queue.ts'
import type { Run } from '../run.ts'
import { nameOf, unreadable } from '../text-file.ts'

/** An action, its queue, and what was typed. */
export interface QueueRun extends Run {
  readonly queue: Queue
  readonly settings: QueueSettings
}

/** Returns the exit code. */
export type Action = (run: QueueRun) => Promise<number>

/** Runs an action with its queue. Only add makes a queue: elsewhere, a wrong name is an error. */
export async function withQueue(run: Run, settings: QueueSettings, action: Action): Promise<number> {
  if (settings.action === 'add') await checkLists(settings.lists)
  await using queue = await open(settings)
  const acting = action({ ...run, queue, settings })
  // A worker ends its turns by itself. Anything else may wait for a Redis that is gone.
  if (settings.action === 'work') return await acting
  return await Promise.race([acting, aborted(run.signal)])
}

/**
 * Throws `file-failed` if a list is not there: the queue that add makes would stay, with a size that cannot be changed.
 */
async function checkLists(lists: readonly string[]): Promise<void> {
  for (const list of lists.filter((name) => name !== '-')) {
    await access(list, constants.R_OK).catch((cause) => {
      throw unreadable(nameOf(list), cause)
    })
  }
}

async function open(settings: QueueSettings): Promise<Queue> {
  const { action, name, expects, bloom, shards, place, shownPlace } = settings
  try {
    const create = action === 'add'
    const size = { ...(expects !== null && { expects }), ...(shards !== null && { shards }) }
    return await openQueue({ connection: place(), name, create, ...size, ...(bloom && { bloom }) })
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    const { code, phase, transient } = error
    throw new RetrievalError(code, inWords(error, name, shownPlace), { phase, transient, cause: error })
  }
}

/** The library's message, with the options of the command. */
function inWords({ code, message }: RetrievalError, name: string, place: string): string {
  if (code === 'not-found') {
    const add = `retrieve queue add LIST --name ${name}`
    return `There is no queue ${name} at ${place}. ${add} makes it; --name names another one.`
  }
  return message
    .replace(/leave `(\w+)` out/, 'leave --$1 out, or --name another one')
    .replace('Expected the option `expects` to be', '--expects has to be')
    .replace('Name another address in `connection`.', 'Name another address by --redis or $RETRIEVE_REDIS.')
    .replace('name it alone in `connection`.', 'name it alone by --redis or $RETRIEVE_REDIS.')
    .replace('leave it out of `connection`.', 'leave it out of --redis or $RETRIEVE_REDIS.')
    .replace('Give its CA in `connection`.', 'Give its CA by --redis-cacert FILE.')
    .replace(
      'Start it, or name another one in `connection`.',
      'Start it, or name another one by --redis or $RETRIEVE_REDIS.',
    )
    .replace('Give its user and password in `connection`.', 'Give user and password in $RETRIEVE_REDIS, or by --redis.')
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
