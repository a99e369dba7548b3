/**
 * Runs the contestants in turn, so that a machine that grows slower does so for all, and each round begins with another one: what a
 * machine has to find anew after a pause, as memory, is found by the first. For each name all that its runs gave.
 */
export async function rounds(contestants, runs, run) {
  const samples = new Map(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < runs; round++) {
    const first = round % contestants.length
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      samples.get(contestant.name).push(await run(contestant))
    }
  }
  return samples
}
