import { addAbortSignal } from 'node:stream'
import { RetrievalError } from '@retriever/core'
import type { AddOptions, QueueSource } from '@retriever/queue'
import { jsonLine } from '../terminal/output.ts'
import { nameOf, unreadable } from '../text-file.ts'
import type { Action } from './open.ts'

/** `retrieve queue add LIST...`: returns the exit code of the first URL that is refused. */
export const addLists: Action = async ({ config, output, report, signal, queue, settings }) => {
  let exit = 0
  const all = { added: 0, duplicates: 0, refused: 0 }
  const onRefused: AddOptions['onRefused'] = (_, error) => {
    const code = report.error(error)
    exit ||= code
  }
  for (const list of settings.lists) {
    const isInput = list === '-'
    const source: QueueSource = isInput ? { lines: addAbortSignal(signal, output.streams.stdin) } : { file: list }
    const { added, duplicates, refused } = await queue
      .add(source, { onRefused, signal, turns: settings.turns })
      .catch((error) => {
        throw RetrievalError.is(error) && error.code === 'file-failed' ? unreadable(nameOf(list), error.cause) : error
      })
    if (added + duplicates + refused === 0) report.warning({ message: `${nameOf(list)} has no URLs.` })
    all.added += added
    all.duplicates += duplicates
    all.refused += refused
  }
  if (settings.turns > 1 && all.duplicates > 0) {
    report.warning({ message: `--turns is for new URLs alone; ${urlsOf(all.duplicates)} of the lists were there.` })
  }
  if (config.json) await output.write(jsonLine(all))
  else if (!config.silent) output.note(`retrieve: ${summary(all, settings.name)}`)
  return exit
}

function summary(
  { added, duplicates, refused }: { added: number; duplicates: number; refused: number },
  name: string,
): string {
  const there = duplicates === 0 ? '' : `, ${duplicates} ${duplicates === 1 ? 'was' : 'were'} there`
  const not = refused === 0 ? '' : `, ${refused} refused`
  return `${urlsOf(added)} added to the queue ${name}${there}${not}`
}

export function urlsOf(count: number): string {
  return count === 1 ? '1 URL' : `${count} URLs`
}
