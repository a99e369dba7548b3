import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runNode, runProgram, startServer } from './lib/children.mjs'
import { median, printTable } from './lib/table.mjs'

export const about = 'Streams a body of 2 GiB (or: MiB [RUNS]) over HTTP: peak memory, and rate beside curl.'

const stream = fileURLToPath(new URL('./lib/stream.mjs', import.meta.url))
const command = fileURLToPath(new URL('../../packages/cli/dist/bin.js', import.meta.url))

const contestants = [
  { name: 'library', run: (url) => runNode([stream, url]), is: true },
  { name: 'retrieve', run: (url) => runNode([command, '-s', url]), is: existsSync(command) },
  { name: 'curl', run: (url) => runProgram('curl', ['-s', url]), is: spawnSync('curl', ['--version']).status === 0 },
]

/**
 * The contestants in turn, so that a machine that grows slower does so for all. Memory is also told for an empty body.
 */
export async function run([mebibytes = '2048', runs = '3']) {
  const size = Number(mebibytes)
  const server = await startServer({ http: true, bigSize: size * 2 ** 20 })
  const present = contestants.filter((contestant) => contestant.is)
  const results = new Map(present.map(({ name }) => [name, []]))
  try {
    for (let round = 0; round < Number(runs); round++) {
      for (const { name, run: go } of present) {
        const idle = await go(`${server.url}pub/empty.txt`)
        const { seconds, peak } = await go(`${server.url}big`)
        results.get(name).push({ rate: size / seconds, peak, idle: idle.peak })
      }
    }
  } finally {
    await server.stop()
  }
  const middle = (name, key) => median(results.get(name).map((result) => result[key]))
  const curl = results.has('curl') ? middle('curl', 'rate') : undefined
  process.stdout.write(
    `A body of ${size} MiB over HTTP on loopback, median of ${runs} runs, start of the process included\n\n`,
  )
  printTable(
    ['', 'MiB/s', 'of curl', 'peak RSS MiB', 'of an empty body'],
    present.map(({ name }) => {
      const rate = middle(name, 'rate')
      const memory = ['peak', 'idle'].map((key) => (name === 'curl' ? '-' : middle(name, key).toFixed(0)))
      return [name, rate.toFixed(0), curl === undefined ? '-' : (rate / curl).toFixed(2), ...memory]
    }),
  )
}
