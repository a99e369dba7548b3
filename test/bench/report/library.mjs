import { fileURLToPath } from 'node:url'
import { startResident } from '../lib/resident.mjs'
import { rounds } from '../lib/rounds.mjs'
import { smallFiles } from './small-files.mjs'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const count = 1000
const contestants = [
  { name: 'library', script: path('../runs/many.mjs'), ours: true },
  { name: 'undici', script: path('../peers/bare-undici.mjs') },
]
const goals = { cold: 0.22, warm: 0.1 }

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
          contestants.map(({ name, ours = false }) => ({
            name: `${name}, ${kind}`,
            ours,
            samples: samples.get(name).map((sample) => sample[kind]),
            ...(ours && { goal: { most: goals[kind] } }),
          })),
        )
      },
    ),
}

async function coldAndWarm({ name, script }, urls) {
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
