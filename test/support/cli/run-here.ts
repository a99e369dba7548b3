/** The command in the process of the tests: a start of its own takes forty times as long. */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { PassThrough, Writable } from 'node:stream'
import { retrievedSchemes } from '../../../packages/cli/src/help/retrieved-schemes.ts'
import { main } from '../../../packages/cli/src/main.ts'
import { longestRun } from '../longest-run.ts'
import type { OctetOutcome } from './run.ts'

const manifest = new URL('../../../packages/cli/package.json', import.meta.url)
// bundle.mjs puts them into the bundle.
Object.assign(globalThis, {
  RETRIEVE_VERSION: JSON.parse(readFileSync(manifest, 'utf8')).version,
  RETRIEVE_SCHEMES: retrievedSchemes(),
})

/**
 * `retrieve ARGUMENTS` in this folder with these variables; its standard input stays open and silent. `isTerminal`: its
 * output goes to a wide terminal.
 */
export async function runHere(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  isTerminal: boolean = false,
): Promise<OctetOutcome> {
  using _place = await placeFor(cwd, env)
  const outputs = [new Collected(), new Collected()] as const
  const [stdout, stderr] = outputs
  if (isTerminal) for (const output of outputs) Object.assign(output, { isTTY: true, columns: 1000, rows: 50 })
  using timer = timeLimit(() => new Error(`retrieve ${args.join(' ')} takes too long:\n${stderr.octets}`))
  const host = Object.assign(new EventEmitter(), { stdin: new PassThrough(), stdout, stderr, exit })
  const status = await Promise.race([main(args, env, host), timer.passed])
  return { status, stdout: stdout.octets, stderr: stderr.octets.toString() }
}

function exit(code: number): never {
  throw new Error(`The command wants to end the process with status ${code}.`)
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // The writer may use its buffer again.
    this.#chunks.push(Buffer.from(chunk))
    done()
  }

  get octets(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

function timeLimit(error: () => Error): Disposable & { readonly passed: Promise<never> } {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(error()), longestRun)))
  return { passed, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** A process has one folder and one environment: runs that want others wait until those before them have ended. */
let taken: { readonly key: string; users: number; readonly free: Promise<void>; readonly leave: () => void } | null =
  null

async function placeFor(cwd: string, env: NodeJS.ProcessEnv): Promise<Disposable> {
  const key = JSON.stringify([cwd, env])
  while (taken !== null && taken.key !== key) await taken.free
  if (taken === null) taken = { key, users: 0, ...enter(cwd, env) }
  const place = taken
  place.users++
  return {
    [Symbol.dispose]: () => {
      if (--place.users > 0) return
      taken = null
      place.leave()
    },
  }
}

function enter(cwd: string, env: NodeJS.ProcessEnv): { readonly free: Promise<void>; readonly leave: () => void } {
  const before = { cwd: process.cwd(), env: { ...process.env } }
  process.chdir(cwd)
  setEnvironment(env)
  let tell = (): void => {}
  const free = new Promise<void>((resolve) => (tell = resolve))
  const leave = (): void => {
    process.chdir(before.cwd)
    setEnvironment(before.env)
    tell()
  }
  return { free, leave }
}

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value
}
