const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size in at most four figures: `999 B`, `1.5 KiB`, `12 MiB`. */
export function formatSize(octets: number): string {
  let value = octets
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
