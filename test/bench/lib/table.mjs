export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

/** Prints rows of text under their headings, numbers to the right. */
export function printTable(headings, rows) {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => row[at].length)))
  const line = (cells) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at]))).join('  ')
  process.stdout.write(`${[headings, ...rows].map((cells) => line(cells).trimEnd()).join('\n')}\n`)
}
