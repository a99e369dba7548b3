/** The word meant by a misspelt one: the nearest, if it is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .filter((rated) => rated.distance <= far)
    .sort((a, b) => a.distance - b.distance)
  // `--out` is no misspelling, but it begins one word only.
  return best?.candidate ?? known.find((candidate) => word.length > 3 && candidate.startsWith(word))
}

/**
 * Insertions, deletions, replacements, and exchanges of neighbours, from one word to the other (optimal string
 * alignment).
 */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      const isExchange = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const exchanged = isExchange ? (before[j - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, exchanged, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
