import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printTable } from './lib/table.mjs'
import { groups } from './report/groups.mjs'
import { machine } from './report/machine.mjs'
import { cells, headings, page } from './report/page.mjs'
import { savePictures } from './report/pictures.mjs'

export const about =
  'All that has a goal, with spread and miss: writes docs/benchmarks.md and its pictures (or: RUNS [GROUP...], none).'

const target = fileURLToPath(new URL('../../docs/', import.meta.url))

/** Groups that are named are measured and printed alone; all of them together are written, too. */
export async function run([runs = '5', ...names]) {
  const known = groups.map(({ name }) => name)
  const wrong = names.filter((name) => !known.includes(name))
  if (wrong.length > 0) throw new Error(`There is no group ${wrong.join(', ')}: ${known.join(', ')}.`)
  const about = machine()
  const results = []
  for (const group of groups.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const rows = await group.measure(Number(runs))
    if (rows.length === 0) continue
    results.push({ ...group, rows })
    process.stdout.write(`\n${group.title}, ${group.unit}\n\n`)
    printTable(
      headings,
      rows.map((row) => cells(row, rows, group)),
    )
  }
  if (names.length > 0) return
  const pictures = savePictures(results, `${target}benchmarks`)
  writeFileSync(`${target}benchmarks.md`, page(results, about, Number(runs), pictures))
  process.stdout.write('\ndocs/benchmarks.md and the pictures in docs/benchmarks are written.\n')
}
