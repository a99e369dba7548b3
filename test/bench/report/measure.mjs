import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { env, runProgram } from '../lib/children.mjs'
import { rounds } from '../lib/rounds.mjs'
import { peerCommand, presentPeers } from '../peers/peers.mjs'
import { withBefore } from './before.mjs'

const bin = fileURLToPath(new URL('../../../packages/cli/dist/bin.js', import.meta.url))
const limit = 120

/** Command lines: of the command, without its reports or as it is, of a script of the bench, and of another program. */
export const ours = (...args) => retrieve('-s', ...args)
export const retrieve = (...args) => [process.execPath, bin, ...args]
export const script = (path, ...args) => [
  process.execPath,
  fileURLToPath(new URL(`../${path}`, import.meta.url)),
  ...args.map(String),
]
/** The two ways in which a program takes a large body: chunks of its own, and chunks whose memory is used again. */
export const libraryRows = (url, goal) => [
  { name: 'library, for await', line: () => script('lib/stream.mjs', url), goal },
  { name: 'library, writeTo()', line: () => script('lib/stream.mjs', '--write-to', url), goal },
]
export const theirs = (name, ...args) => peerCommand(name, ...args).flat()

/**
 * The seconds of each contestant, in turn. `line(cwd)` is its command line, run in an empty folder; `status` its exit
 * status; `needs` the program that must be installed. Before anything is timed, each runs once to have its octets
 * compared: `prints` is what `sumOf` gives for its standard output, and `saves(cwd)` throws unless all files are there.
 */
export async function seconds(contestants, runs, server) {
  const installed = presentPeers([...new Set(contestants.flatMap(({ needs }) => needs ?? []))])
  const isOurs = ({ needs }) => needs === undefined
  const present = withBefore(
    contestants.filter((contestant) => isOurs(contestant) || installed.includes(contestant.needs)),
    isOurs,
  )
  const inFolder = async (use) => {
    const cwd = server?.scratch()
    await server?.idle()
    const result = await use(cwd)
    if (cwd !== undefined) rmSync(cwd, { recursive: true })
    return result
  }
  for (const { name, line, status, prints, saves } of present) {
    await inFolder(async (cwd) => {
      const printed = await printedBy(line(cwd), cwd, status)
      if (prints !== undefined && !prints.includes(printed)) throw new Error(`${name} has not printed what was served`)
      saves?.(cwd)
    })
  }
  const samples = await rounds(present, runs, ({ line, status }) =>
    inFolder(async (cwd) => {
      const [program, ...args] = line(cwd)
      return (await runProgram(program, args, { cwd, limit, status })).seconds
    }),
  )
  return present.map((contestant) => ({
    name: contestant.name,
    goal: contestant.goal,
    ours: isOurs(contestant),
    samples: samples.get(contestant.name),
  }))
}

async function printedBy([program, ...args], cwd, status = 0) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const sum = new Sum()
  child.stdout.on('data', (octets) => sum.add(octets))
  const [code] = await once(child, 'close')
  if (code !== status) throw new Error(`${program} ${args.join(' ').slice(0, 200)} ended with ${code}`)
  return sum.toString()
}

/** The sum of octets, in the order in which they come; and how often each comes, for bodies in any order. */
class Sum {
  #hash = createHash('sha256')
  #counts = new Uint32Array(256)
  #length = 0

  add(octets) {
    this.#hash.update(octets)
    this.#length += octets.length
    // A gigabyte comes in one order; to count its octets would take seconds.
    if (this.#length < 2 ** 24) for (const octet of octets) this.#counts[octet]++
  }

  toString() {
    const digest = this.#hash.digest('hex')
    return this.#length < 2 ** 24 ? `${this.#length} ${this.#counts.join()}` : `${this.#length} ${digest}`
  }
}

/** What `prints` is compared with, for pieces of octets. */
export function sumOf(pieces) {
  const sum = new Sum()
  for (const piece of pieces) sum.add(piece)
  return sum.toString()
}
