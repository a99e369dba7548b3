/** Runs the contestants in turn, so that a machine that grows slower does so for all: for each name all that its runs gave. */
export async function rounds(contestants, runs, run) {
  const samples = new Map(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < runs; round++) {
    for (const contestant of contestants) samples.get(contestant.name).push(await run(contestant))
  }
  return samples
}
