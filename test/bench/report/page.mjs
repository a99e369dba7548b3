import { median } from '../lib/table.mjs'

export const headings = ['', 'median', 'spread', 'goal', 'miss']

/** The figures of a row, in the unit of its group. `most`: the goal as a number; undefined without one. */
export function figures({ samples, goal }, rows, { factor = 1 }) {
  const of = goal?.of === undefined ? undefined : rows.find(({ name }) => name === goal.of)
  const isKnown = goal !== undefined && (goal.of === undefined || of !== undefined)
  const most = isKnown ? goal.most * (of === undefined ? factor : median(of.samples) * factor) : undefined
  const values = samples.map((sample) => sample * factor)
  return { middle: median(values), least: Math.min(...values), largest: Math.max(...values), most }
}

/** The same as text: name, median, spread, goal, and by how much it is missed. */
export function cells(row, rows, group) {
  const { middle, least, largest, most } = figures(row, rows, group)
  const text = (value) => value.toFixed(group.digits)
  const goal =
    most === undefined ? '' : `${text(most)}${row.goal.of === undefined ? '' : ` (${row.goal.most} of ${row.goal.of})`}`
  const miss = most === undefined ? '' : middle <= most ? 'met' : `+${Math.round((middle / most - 1) * 100)} %`
  return [row.name, text(middle), `${text(least)} to ${text(largest)}`, goal, miss]
}

/** docs/benchmarks.md; `pictures` has the file of each group. */
export function page(results, { machine, load, commit, date, versions }, runs, pictures) {
  const all = results.flatMap((group) => group.rows.map((row) => figures(row, group.rows, group)))
  const goals = all.filter(({ most }) => most !== undefined)
  const met = goals.filter(({ middle, most }) => middle <= most)
  const sections = results.map((group) => {
    const rows = group.rows.map((row) => `| ${cells(row, group.rows, group).join(' | ')} |`)
    const table = [`| ${group.unit} | ${headings.slice(1).join(' | ')} |`, '| --- | --- | --- | --- | --- |', ...rows]
    return `## ${group.title}\n\n![${group.title}](${pictures.get(group.name)})\n\n${table.join('\n')}\n`
  })
  return `# Benchmarks

\`pnpm bench report\` measures all of this anew on your machine and writes this page, on the servers of \`pnpm interop\`.
\`pnpm bench\` lists more. [internals/speed.md](internals/speed.md) tells why goals are missed.

- ${machine}; load ${load} before it began
- ${versions}
- Commit ${commit}, ${date}. Medians of ${runs} runs or more (memory of the list: one), all in turn; less is better
- The start of each process is included, except where one runs already. Files and servers are in memory, on loopback
- Each contestant had its octets compared with what was served, before it was timed

${met.length} of ${goals.length} goals are met. A line in a picture is the goal, a whisker the spread.

${sections.join('\n')}`
}
