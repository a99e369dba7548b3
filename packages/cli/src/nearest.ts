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

/** Levenshtein's: insertions, deletions and replacements from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
