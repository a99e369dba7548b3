import { Random } from '../fuzz/random.ts'
import { problemOf } from './checks.ts'
import { VirtualClock } from './clock.ts'
import { noTrouble, type Pace, type Trouble } from './network.ts'
import { type Abort, type Counts, Run } from './run.ts'
import { drawWorld, type World } from './world.ts'

/** The runs of a seed: one in which nothing goes wrong, and others with troubles at the places that it had. */
const runsPerSeed = 8

export interface Failure {
  readonly seed: number
  readonly reason: string
  /** The world, the trouble, and what went over the network. */
  readonly log: readonly string[]
}

/** Makes so many runs, from this seed on. Returns the first failure; null: nothing is wrong. */
export async function simulate(first: number, runs: number): Promise<Failure | null> {
  const clock = new VirtualClock()
  clock.install()
  const uncaught: unknown[] = []
  process.on('unhandledRejection', (error) => uncaught.push(error))
  process.on('uncaughtException', (error) => uncaught.push(error))

  const make = async (seed: number, number: number, world: World, counts: Counts | null, log: string[] | null) => {
    // Stacks cost a tenth of the time, and only a failure shows one.
    Error.stackTraceLimit = log === null ? 0 : 20
    clock.reset()
    const random = new Random(seed * 104_729 + number)
    Math.random = () => random.below(1e9) / 1e9
    const run = drawRun(clock, random, world, counts)
    run.network.log = log
    log?.push(JSON.stringify({ world, trouble: run.trouble, abort: run.abort }))
    const result = await run.finish()
    const [rejected] = uncaught
    if (rejected !== undefined)
      throw new Error(`nobody catches ${rejected instanceof Error ? rejected.stack : rejected}`)
    if (clock.clientTimers > 0) throw new Error('a timer is left')
    const problem = problemOf(run)
    if (problem !== null) throw new Error(problem)
    return result
  }

  for (let seed = first, made = 0; made < runs; seed++) {
    const world = drawWorld(new Random(seed * 7919))
    let counts: Counts | null = null
    for (let number = 0; number < runsPerSeed && made < runs; number++, made++) {
      try {
        const counted = await make(seed, number, world, counts, null)
        counts ??= counted
      } catch (error) {
        uncaught.length = 0
        const log: string[] = []
        const again = await make(seed, number, world, counts, log).catch((error: Error) => error.message)
        const isSame = typeof again === 'string'
        return { seed, reason: isSame ? again : `${(error as Error).message}, but not the second time`, log }
      }
    }
  }
  return null
}

function drawRun(clock: VirtualClock, random: Random, world: World, counts: Counts | null): Run {
  const way = counts === null ? null : random.pick(['abort', 'trouble', 'trouble', 'both'] as const)
  const trouble = counts === null || way === 'abort' ? noTrouble : drawTrouble(random, world, counts)
  const abort = counts === null || way === 'trouble' ? null : drawAbort(random, world, counts)
  return new Run(clock, random, world, drawPace(random), trouble, abort)
}

function drawPace(random: Random): Pace {
  return {
    cuts: random.pick(['none', 'none', 'some', 'some', 'some', 'some', 'lines', 'all']),
    delays: random.pick([[0], [0, 1, 2], [0, 1, 2], [1, 5, 40], [0, 0, 0, 300]]),
  }
}

function drawTrouble(random: Random, { options }: World, { octets, connections }: Counts): Trouble {
  const kind = random.pick(['fin', 'reset', 'stall', 'fin', 'reset', 'stall', 'refuse', 'silent'] as const)
  const isOfConnection = kind === 'refuse' || kind === 'silent'
  return {
    kind,
    at: random.below(1 + (isOfConnection ? connections : octets)),
    // A client that gives up no host waits for it for ever.
    times: random.pick([1, 1, 1, 2, options.giveUpHosts ? 100 : 2]),
    gap: isOfConnection ? 1 : 1 + random.below(octets + 1),
    isLate: random.chance(50),
    isOfHost: random.chance(50),
  }
}

function drawAbort(random: Random, { asked }: World, { turns, events }: Counts): Abort {
  const at = random.pick(['turn', 'turn', 'event'] as const)
  return {
    index: random.chance(20) ? null : random.below(asked.length),
    at,
    number: random.below(1 + (at === 'turn' ? turns : events)),
    depth: random.pick([0, 0, random.below(10), random.below(60)]),
  }
}
