import { setFlagsFromString } from 'node:v8'

interface Flags {
  readonly usual: string
  readonly never: string
}

const minimum = '--minimum-invocations-before-optimization'
const laterFlags: Flags = { usual: `${minimum}=2`, never: `${minimum}=1000000000` }

/** The flags of V8, by version of Node, by which it counts how hot functions are, and optimises none. */
const flagsOf: Readonly<Record<number, Flags>> = {
  20: {
    usual: '--ticks-before-optimization=3 --max-bytecode-size-for-early-opt=81',
    never: '--ticks-before-optimization=1000000000 --max-bytecode-size-for-early-opt=0',
  },
  22: laterFlags,
  24: laterFlags,
}

/** With fewer URLs, V8 optimises hardly any function. */
const few = 200

/** With more URLs, optimised code pays for what V8 spends on making it. */
const many = 1500

/** URLs whose bodies pass through unread. Others, as of News, are read line by line, which needs optimised code. */
const unread = /^https?:/i

/** The CPU time after which a command is no longer short, whatever the number of its URLs. */
const longMilliseconds = 1000

/**
 * When V8 optimises the functions of this process. Usually it begins so early that Node 20 spends a third of its CPU
 * time on it in a list of a thousand URLs, and ends before that pays.
 */
export class Optimisation {
  readonly #flags = flagsOf[Number.parseInt(process.versions.node, 10)]
  #isDelayed = false

  /** Notes which URLs the command retrieves. For a short list, V8 optimises nothing, unless it takes long. */
  expect(urls: readonly string[]): void {
    if (this.#flags === undefined || this.#isDelayed || urls.length < few || urls.length > many) return
    if (millisecondsLeft() <= 0 || !urls.every((url) => unread.test(url))) return
    this.#isDelayed = true
    setFlagsFromString(this.#flags.never)
    this.#wait()
  }

  /** Loads code under the usual flags, since V8 rejects what was compiled under others, Node's own modules too. */
  undelayed<T>(load: () => T): T {
    if (!this.#isDelayed || this.#flags === undefined) return load()
    setFlagsFromString(this.#flags.usual)
    try {
      return load()
    } finally {
      setFlagsFromString(this.#flags.never)
    }
  }

  #wait(): void {
    const left = millisecondsLeft()
    if (left > 0) setTimeout(() => this.#wait(), Math.max(left, 50)).unref()
    else this.#end()
  }

  #end(): void {
    this.#isDelayed = false
    if (this.#flags) setFlagsFromString(this.#flags.usual)
  }
}

/** How much CPU time a command may still take and be short. */
function millisecondsLeft(): number {
  const { user, system } = process.cpuUsage()
  return longMilliseconds - (user + system) / 1000
}
