import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { placeOf, type RunLimits, runClient } from './client.ts'
import { makeJail } from './jail.ts'
import { answerComplaints, complaintsOf } from './judge.ts'
import type { Act, AuditClass, Script } from './script.ts'
import { type Ability, probes } from './scripts/abilities.ts'
import { scripts } from './scripts/index.ts'
import { startVictim } from './victim.ts'

export interface AuditOptions {
  /** The client and its arguments, with `{url}`, and `{file}`, `{dir}` and `{ca}` where it takes them. */
  readonly command: readonly string[]
  /** The environment of the client; its folders are replaced. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** Only scripts of these classes. Default: all. */
  readonly classes?: readonly AuditClass[]
  /** The protocols that the client speaks; without them, each is tried. */
  readonly schemes?: readonly string[]
  /** Only scripts with one of these names. Default: all. */
  readonly names?: readonly string[]
  /** How many milliseconds each run may take. Default 30000. */
  readonly timeout?: number
  /** How many clients run at a time. Default: three for each processor. */
  readonly jobs?: number
  readonly signal?: AbortSignal
  /** Called for each script, in the order in which they end. */
  readonly onVerdict?: (verdict: AuditVerdict) => void | Promise<void>
}

/** What the audit found by one script. */
export interface AuditVerdict {
  readonly class: AuditClass
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** What the client did wrong, or why it was not judged. */
  readonly reasons: readonly string[]
  /** The exit status; null if the client did not end by itself, or did not run. */
  readonly exit: number | null
  /** The highest memory that was seen, in octets; null if the system does not tell, or the client did not run. */
  readonly memory: number | null
}

/** 256 MiB are four times what a client in JavaScript needs, and far from what a machine has. */
const memoryLimit = 256 * 2 ** 20
const diskLimit = 128 * 2 ** 20

/**
 * Runs a client against hostile servers on loopback, and judges it by what is seen from outside. Resolves to the
 * verdicts in the order of the scripts. Rejects with the system's error if the client cannot be started.
 */
export async function audit(options: AuditOptions): Promise<AuditVerdict[]> {
  const { command, classes, names, schemes, timeout = 30_000, jobs = 3 * availableParallelism(), onVerdict } = options
  if (!command.some((word) => word.includes('{url}'))) throw new TypeError('command: expected a word with {url}')
  const limits = { time: timeout, memory: memoryLimit, disk: diskLimit }
  const stop = new AbortController()
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal])
  const chosen = scripts.filter(
    (script) => (classes?.includes(script.class) ?? true) && (names?.includes(script.name) ?? true),
  )
  const asked = [...new Set(chosen.map(({ needs }) => needs))].filter((ability) => isDeclared(ability, schemes))
  const perform = (script: Script, judge: typeof complaintsOf): Promise<AuditVerdict> =>
    run(script, judge, options, limits, signal)
  try {
    const probed = await inTurns(
      asked,
      jobs,
      stop,
      async (ability) => [ability, await perform(probes[ability], answerComplaints)] as const,
    )
    const known = new Map(probed)
    return await inTurns(chosen, jobs, stop, async (script) => {
      const probe = known.get(script.needs)
      const verdict =
        probe?.outcome === 'passed' ? await perform(script, complaintsOf) : unjudged(script, probe, schemes)
      await onVerdict?.(verdict)
      return verdict
    })
  } finally {
    stop.abort()
  }
}

function isDeclared(ability: Ability, schemes: readonly string[] | undefined): boolean {
  return schemes?.includes(ability.split(' ', 1)[0] ?? ability) ?? true
}

/** The verdict without a run: the client cannot do what the script needs. If it was said to, that is a failure. */
function unjudged(script: Script, probe: AuditVerdict | undefined, schemes: AuditOptions['schemes']): AuditVerdict {
  const { needs } = script
  if (probe === undefined) return verdictOf(script, 'skipped', [`${needs} is not asked for`])
  const isMissed = schemes?.includes(needs) === true
  return verdictOf(script, isMissed ? 'failed' : 'skipped', [`cannot retrieve ${needs}: ${probe.reasons.join('; ')}`])
}

async function run(
  script: Script,
  judge: typeof complaintsOf,
  { command, env = process.env }: AuditOptions,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<AuditVerdict> {
  const secret = `s3cr3t${randomBytes(6).toString('hex')}`
  const canary = `canary-${randomBytes(6).toString('hex')}`
  const jail = await makeJail(canary)
  const victim = await startVictim()
  let act: Act | undefined
  try {
    const stage = { victim, secret, canary, outside: jail.outside }
    act = await script.start(stage)
    const observed = await runClient(command, act.url, jail, env, limits, signal)
    const reasons = await judge(script, { observed, stage, act, jail, place: placeOf(command), limits })
    return verdictOf(script, reasons.length === 0 ? 'passed' : 'failed', reasons, observed)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (act !== undefined || !code.startsWith('EADDR')) throw error
    return verdictOf(script, 'skipped', [`its server cannot listen here: ${code}`])
  } finally {
    await Promise.all([act?.close(), victim.close()])
    await jail.remove()
  }
}

function verdictOf(
  { class: own, name }: Script,
  outcome: AuditVerdict['outcome'],
  reasons: readonly string[],
  { exit, memory }: Pick<AuditVerdict, 'exit' | 'memory'> = { exit: null, memory: null },
): AuditVerdict {
  return { class: own, name, outcome, reasons, exit, memory }
}

/**
 * Works on items, so many at a time; the results keep their order. The first error stops all, and is thrown once each
 * has ended and removed its folders.
 */
async function inTurns<Item, Result>(
  items: readonly Item[],
  width: number,
  stop: AbortController,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (stop.signal.aborted) return
      results[index] = await work(item)
    }
  }
  const ends = Array.from({ length: width }, () =>
    worker().catch((error: unknown) => {
      stop.abort(error)
    }),
  )
  await Promise.all(ends)
  stop.signal.throwIfAborted()
  return results
}
