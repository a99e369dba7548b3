/** Rows as lines, each column as wide as its longest cell. Columns that `isNumber` names are aligned at the right. */
export function table(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const padded = (cell: string, column: number): string =>
    isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => `${row.map(padded).join('  ').trimEnd()}\n`).join('')
}
