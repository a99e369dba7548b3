import { printable } from '@retriever/core'
import { usageError } from '../exit-codes.ts'
import { Counts, type Numbers } from '../journal/counts.ts'
import type { Failed } from '../journal/line.ts'
import { readLines } from '../journal/lines-of.ts'
import { damagedLines } from '../journal/open.ts'
import type { Run } from '../run.ts'
import { formatSize, jsonLine, withoutSecrets } from '../terminal/output.ts'
import { formatDuration } from '../terminal/progress-line.ts'
import { table } from '../terminal/table.ts'

/** The most hosts and failures that people see. */
const maxShown = 20

/** `retrieve journal FILE`: tells what a journal has, while its command runs or later. It writes nothing. */
export async function journal({ config, output, report }: Run): Promise<number> {
  const [file, ...others] = config.operands
  if (file === undefined || others.length > 0) throw usageError('journal reads one file: retrieve journal FILE')
  const counts = new Counts()
  const { damaged } = await readLines(file, (line, at) => counts.add(line, at))
  if (damaged > 0) report.warning({ message: damagedLines(file, damaged) })
  const failures = await failuresIn(file, counts, config.json ? Number.POSITIVE_INFINITY : maxShown)
  const hosts = [...counts.hosts].map(([host, numbers]) => ({ host, ...numbers })).toSorted(byFailures)
  if (config.json) {
    const { command, runs, urls, end, all, left } = counts
    const rates = { seconds: counts.time / 1000, perMinute: perMinute(counts) }
    const told = { file, command, runs, end, urls, ...all, left, ...rates, codes: reasonsOf(counts) }
    await output.write(jsonLine(withoutSecrets({ journal: { ...told, hosts } })))
    for (const { event: _, ...failed } of failures) await output.write(jsonLine(withoutSecrets({ failed })))
    return 0
  }
  if (counts.runs === 0) {
    await output.write(`${printable(file)}: no command has written to this journal yet.\n`)
    return 0
  }
  await output.write(summaryOf(counts))
  const rows = hosts
    .slice(0, maxShown)
    .map(({ host, done, failed, waiting, octets }) => [
      String(done),
      String(failed),
      String(waiting),
      formatSize(octets),
      host || '-',
    ])
  if (rows.length > 0) {
    const more = hosts.length > maxShown ? `${hosts.length - maxShown} more hosts have fewer failures.\n` : ''
    await output.write(
      `\n${table([['DONE', 'FAILED', 'WAITING', 'SIZE', 'HOST'], ...rows], (column) => column < 4)}${more}`,
    )
  }
  if (failures.length > 0) {
    const reasons = Object.entries(reasonsOf(counts)).map(([code, count]) => `${count} ${code}`)
    await output.write(`\n${reasons.join(', ')}\n`)
    for (const { url, message } of failures)
      await output.write(`${printable(message.includes(url) ? message : `${url}: ${message}`)}\n`)
    const all = counts.all.failed + counts.all.waiting
    if (all > failures.length) await output.write(`${all - failures.length} more; --json has all of them.\n`)
  }
  return 0
}

function summaryOf(counts: Counts): string {
  const { all, urls, left, runs, end } = counts
  const ends = { whole: 'ended', early: 'broken off', none: 'still runs, or was killed' }
  const of = urls === null ? '' : ` of ${urls}`
  const parts = [
    `${all.done}${of} done, ${formatSize(all.octets)}`,
    ...(all.failed > 0 ? [`${all.failed} failed for good`] : []),
    ...(all.waiting > 0 ? [`${all.waiting} to be tried again`] : []),
    ...(all.begun > 0 ? [`${all.begun} begun`] : []),
    ...(left === null ? [] : [`${left} left`]),
  ]
  const times = runs === 1 ? '1 run' : `${runs} runs`
  const rate = `${Math.round(perMinute(counts))} URLs a minute`
  return `${parts.join(', ')}\nretrieve ${counts.command}: ${times} in ${formatDuration(counts.time / 1000)}, ${rate}; the last one ${ends[end]}\n`
}

/** How many URLs failed with each code, and have not been retrieved since. */
function reasonsOf({ codes }: Counts): Readonly<Record<string, number>> {
  return Object.fromEntries([...codes].filter(([, count]) => count > 0))
}

function perMinute({ all, time }: Counts): number {
  return time === 0 ? 0 : Math.round(((all.done + all.failed) * 60_000 * 10) / time) / 10
}

function byFailures(a: Numbers, b: Numbers): number {
  return b.failed + b.waiting - (a.failed + a.waiting) || b.done - a.done
}

/** The last failures of the URLs that have not been retrieved since. */
async function failuresIn(file: string, counts: Counts, most: number): Promise<Failed[]> {
  const failures: Failed[] = []
  if (counts.all.failed + counts.all.waiting === 0) return failures
  await readLines(file, (line, at) => {
    if (line.event === 'failed' && failures.length < most && counts.isLast(line, at)) failures.push(line)
  })
  return failures
}
