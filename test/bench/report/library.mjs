import { fileURLToPath } from 'node:url'
import { startResident } from '../lib/resident.mjs'
import { rounds } from '../lib/rounds.mjs'
import { withBefore } from './before.mjs'
import { smallFiles } from './small-files.mjs'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const count = 1000
const goals = { cold: 0.22, warm: 0.1 }
const contestants = withBefore(
  [
    { name: 'library', line: () => [path('../runs/many.mjs')], ours: true, goal: goals },
    { name: 'undici', line: () => [path('../peers/bare-undici.mjs')], ours: false },
  ],
  ({ ours }) => ours,
)

/** The first round of a process is cold: its code is new to V8. The seventh is warm. */
export const library = {
  name: 'library',
  title: 'The library in a running process, HTTP, 1,000 bodies of 1 KiB, 16 at a time',
  unit: 'ms',
  factor: 1000,
  digits: 0,
  measure: (runs) =>
    smallFiles(
      'nginx',
      'files/small',
      (port) => `http://127.0.0.1:${port}/files/small/`,
      count,
      async ({ urls }) => {
        const samples = await rounds(contestants, runs, (contestant) => coldAndWarm(contestant, urls))
        return ['cold', 'warm'].flatMap((kind) =>
          contestants.map(({ name, ours, goal }) => ({
            name: `${name}, ${kind}`,
            ours,
            samples: samples.get(name).map((sample) => sample[kind]),
            ...(goal !== undefined && { goal: { most: goal[kind] } }),
          })),
        )
      },
    ),
}

async function coldAndWarm({ name, line }, urls) {
  const [script] = line()
  const resident = startResident(script, [16, ...urls])
  try {
    const told = []
    for (let round = 0; round < 7; round++) told.push(await resident.run())
    const wrong = told.find(({ octets }) => octets !== count * 1024)
    if (wrong !== undefined) throw new Error(`${name} has brought ${wrong.octets} octets`)
    return { cold: told[0].seconds, warm: told[6].seconds }
  } finally {
    await resident.stop()
  }
}
