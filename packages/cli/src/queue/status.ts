import { setTimeout } from 'node:timers/promises'
import type { QueueProgress } from '@retriever/queue'
import { jsonLine } from '../terminal/output.ts'
import { formatDuration } from '../terminal/progress-line.ts'
import { table } from '../terminal/table.ts'
import type { Action, QueueRun } from './open.ts'

/** How often --watch looks, in milliseconds, and how often where a person sees no table. */
const watchEvery = { terminal: 1000, file: 10_000 }
/** The rate is that of so many looks. */
const looks = 10

/** `retrieve queue status`: how far a queue is, once or until nothing is left. */
export const status: Action = async (run) => {
  const { config, output, queue, settings, signal } = run
  const rate = new Rate()
  const isShown = settings.watches && output.stderrIsTerminal && !config.json
  for (;;) {
    const progress = await queue.progress()
    const perSecond = rate.add(progress, performance.now())
    const isLast = !settings.watches || progress.left === 0
    const text = config.json
      ? jsonLine({ queue: settings.name, ...progress, perSecond })
      : view(run, progress, perSecond)
    if (isShown && !isLast) output.status(brokenAt(output.stderrColumns, text.trimEnd()))
    else {
      output.status('')
      await output.write(text)
    }
    if (isLast) return 0
    await setTimeout(isShown || config.json ? watchEvery.terminal : watchEvery.file, undefined, { signal })
  }
}

/** Lines as the terminal would break them: output.status() goes back by their number. */
function brokenAt(columns: number, text: string): string {
  const row = new RegExp(`.{1,${columns}}`, 'g')
  return (text.match(row) ?? []).join('\n')
}

function view({ settings }: QueueRun, progress: QueueProgress, perSecond: number | null): string {
  const { added, done, failed, cancelled, left, again, hosts, turns, workers, isPaused } = progress
  const time = perSecond === null || perSecond === 0 ? '' : `${formatDuration(left / perSecond)} for what is left`
  const rows = [
    ['added', added, ''],
    ['done', done, ''],
    ['failed', failed, failed === 0 ? '' : 'for good; retrieve queue failures says why'],
    ...(cancelled === 0 ? [] : [['cancelled', cancelled, '']]),
    ['left', left, again === 0 ? '' : `put back ${again} times to be tried again`],
    ['hosts', hosts, `${turns.active} at workers, ${turns.waiting} wait for one, ${turns.delayed} wait for their time`],
    ['workers', workers, ''],
    ...(perSecond === null ? [] : [['a second', Math.round(perSecond * 10) / 10, time]]),
  ].map((row) => row.map(String))
  const paused = isPaused ? ', paused' : ''
  return `Queue ${settings.name} at ${settings.shownPlace}${paused}\n${table(rows, (column) => column === 1)}`
}

/** How many URLs get their outcome a second. */
class Rate {
  readonly #seen: { readonly at: number; readonly ended: number }[] = []

  /** Null: it is the first look. */
  add({ done, failed }: QueueProgress, at: number): number | null {
    const first = this.#seen[0]
    this.#seen.push({ at, ended: done + failed })
    if (this.#seen.length > looks) this.#seen.shift()
    return first === undefined ? null : (1000 * Math.max(0, done + failed - first.ended)) / (at - first.at)
  }
}
