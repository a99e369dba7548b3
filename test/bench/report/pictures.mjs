import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cells, figures } from './page.mjs'

const width = 800
const left = 230
const right = 230
const lineHeight = 30
const top = 44
const colours = { ours: '#1f6feb', theirs: '#9aa4b2', goal: '#d1242f', spread: '#24292f' }

/** Draws a picture for each group into a folder, in place of those that were there; tells the path for links. */
export function savePictures(results, folder) {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) if (name.endsWith('.svg')) rmSync(join(folder, name))
  return new Map(
    results.map((group) => {
      writeFileSync(join(folder, `${group.name}.svg`), picture(group))
      return [group.name, `${basename(folder)}/${group.name}.svg`]
    }),
  )
}

/** Bars to the right, one a row, with a whisker for the spread and a line for the goal. */
export function picture(group) {
  const { rows } = group
  const values = rows.map((row) => figures(row, rows, group))
  const widest = Math.max(...values.flatMap(({ largest, most = 0 }) => [largest, most]))
  const x = (value) => (left + (value / widest) * (width - left - right)).toFixed(1)
  const height = top + rows.length * lineHeight + 12
  const bars = rows.map((row, index) => {
    const { middle, least, largest, most } = values[index]
    const y = top + index * lineHeight
    const [name, shown, , , miss] = cells(row, rows, group)
    const told = `${shown} ${group.unit}${miss === '' ? '' : miss === 'met' ? ', goal met' : `, missed by ${miss.slice(1)}`}`
    return [
      text(left - 10, y + 16, name, 'end'),
      `<rect x="${left}" y="${y + 3}" width="${(x(middle) - left).toFixed(1)}" height="18" rx="2" fill="${row.ours ? colours.ours : colours.theirs}"/>`,
      line(x(least), y + 12, x(largest), y + 12, colours.spread),
      line(x(least), y + 8, x(least), y + 16, colours.spread),
      line(x(largest), y + 8, x(largest), y + 16, colours.spread),
      ...(most === undefined ? [] : [line(x(most), y, x(most), y + 24, colours.goal, 2.5)]),
      text(width - right + 12, y + 16, told, 'start'),
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="13">
<title>${escaped(group.title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${text(16, 24, group.title, 'start', 'bold')}
${bars.join('\n')}
</svg>
`
}

function text(x, y, content, anchor, weight = 'normal') {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-weight="${weight}" fill="#24292f">${escaped(content)}</text>`
}

function line(x1, y1, x2, y2, colour, thickness = 1) {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}" stroke-width="${thickness}"/>`
}

function escaped(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
