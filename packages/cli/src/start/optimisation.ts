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

/** With more URLs, optimised code pays for what V8 spends on making it. */
const many = 1500

interface Kind {
  readonly urls: RegExp
  /** With fewer URLs, V8 optimises as it does usually. */
  readonly few: number
  /** The CPU time in milliseconds after which a command is no longer short, whatever the number of its URLs. */
  readonly long: number
}

/** URLs whose bodies pass through unread. Others, as of News, are read line by line, which needs optimised code. */
const kinds: readonly Kind[] = [
  // With a few URLs, V8 optimises hardly any function, unless a large body comes by TLS, record by record.
  { urls: /^https?:/i, few: 200, long: 1000 },
  // A small file takes twice the CPU time that it takes by HTTP, and a large one gains, too.
  { urls: /^ftp:.*[^/](?<!;type=[ad])$/is, few: 1, long: 3000 },
]

/** As `long`, for a tree: one of 5,000 files loses a tenth by it, while those of up to 1,300 gain a third. */
const longTree = 1500

/**
 * When V8 optimises the functions of this process. Usually it begins so early that Node 20 spends a third of its CPU
 * time on it in a list of a thousand URLs, and ends before that pays.
 */
export class Optimisation {
  readonly #flags = flagsOf[Number.parseInt(process.versions.node, 10)]
  #isDelayed = false

  /** Notes which URLs the command retrieves. For a short list, V8 optimises nothing, unless it takes long. */
  expect(urls: readonly string[]): void {
    if (urls.length > many) return
    const kind = kinds.find(({ urls: kindOf, few }) => urls.length >= few && urls.every((url) => kindOf.test(url)))
    if (kind !== undefined) this.#delay(kind.long)
  }

  /** Notes that the command copies a tree by FTP, whose size nobody knows yet. */
  expectTree(): void {
    this.#delay(longTree)
  }

  #delay(long: number): void {
    if (this.#flags === undefined || this.#isDelayed || millisecondsLeft(long) <= 0) return
    this.#isDelayed = true
    setFlagsFromString(this.#flags.never)
    this.#wait(long)
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

  #wait(long: number): void {
    const left = millisecondsLeft(long)
    if (left > 0) setTimeout(() => this.#wait(long), Math.max(left, 50)).unref()
    else this.#end()
  }

  #end(): void {
    this.#isDelayed = false
    if (this.#flags) setFlagsFromString(this.#flags.usual)
  }
}

/** How much CPU time a command may still take and be short. */
function millisecondsLeft(long: number): number {
  const { user, system } = process.cpuUsage()
  return long - (user + system) / 1000
}
