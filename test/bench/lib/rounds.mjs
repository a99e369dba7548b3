/**
 * Runs the contestants in turn, so that a machine that grows slower does so for all, and every other round backwards:
 * what it has to find anew after a pause, as memory for a file, is found by whoever comes first. For each name all that
 * its runs gave.
 */
export async function rounds(contestants, runs, run) {
  const samples = new Map(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < runs; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed()
    for (const contestant of order) samples.get(contestant.name).push(await run(contestant))
  }
  return samples
}
