import { setFlagsFromString } from 'node:v8'

interface Flags {
  /** The defaults of V8. */
  readonly usual: string
  /** With these, V8 does nothing of the kind, or less of it. */
  readonly never: string
}

const minimum = '--minimum-invocations-before-optimization'
const laterFlags: Flags = { usual: `${minimum}=2`, never: `${minimum}=1000000000` }

/** The flags that say how hot a function must be until V8 optimises it, by version of Node. */
const flagsOf: Readonly<Record<number, Flags>> = {
  20: {
    usual: '--ticks-before-optimization=3 --max-bytecode-size-for-early-opt=81',
    never: '--ticks-before-optimization=1000000000 --max-bytecode-size-for-early-opt=0',
  },
  22: laterFlags,
  24: laterFlags,
}

/**
 * The flags by which V8 collects garbage in several threads and in small steps, and in neither way: threads and steps
 * take longer than the few megabytes of a short list.
 */
const collecting: Flags = {
  usual: '--parallel-scavenge --incremental-marking',
  never: '--no-parallel-scavenge --no-incremental-marking',
}

/**
 * The flags that say by how much the heap grows until V8 looks for garbage in all of it. Usually it may grow fourfold:
 * the 14 MB of a long list, most of whose objects outlive the young generation, become 60 MB.
 */
const growing: Flags = { usual: '--heap-growing-percent=0', never: '--heap-growing-percent=50' }

interface Kind {
  readonly urls: RegExp
  /** With fewer URLs, V8 optimises as it does usually. */
  readonly few: number
  /** The CPU time in milliseconds after which a command is no longer short, whatever the number of its URLs. */
  readonly long: number
  /** Whether the flags of `collecting` change, too. */
  readonly collects: boolean
}

/** URLs whose bodies pass through unread. Others, as of News, are read line by line, which needs optimised code. */
const kinds: readonly Kind[] = [
  // With a few URLs, V8 optimises hardly any function, unless a large body comes by TLS, record by record.
  { urls: /^https?:/i, few: 200, long: 1000, collects: true },
  // A small file takes twice the CPU time that it takes by HTTP, and a large one gains, too.
  { urls: /^ftp:.*[^/](?<!;type=[ad])$/is, few: 1, long: 3000, collects: false },
]

/** As `long`, for a tree: one of 5,000 files loses a tenth by it, while those of up to 1,300 gain a third. */
const longTree = 1500

/**
 * When V8 optimises the functions of this process, and how far it lets the heap grow. Usually it optimises so early
 * that Node 20 spends a third of its CPU time on it in a list of a thousand URLs, and ends before that pays.
 */
export class Optimisation {
  /** With more URLs, optimised code pays for what V8 spends on making it. */
  readonly most = 1500
  /** The flags that were changed; null: none are. */
  #changed: Flags | null = null

  /** Notes which URLs the command retrieves, at most `most`. V8 optimises nothing for them, unless they take long. */
  expect(urls: readonly string[]): void {
    const kind = kinds.find(({ urls: kindOf, few }) => urls.length >= few && urls.every((url) => kindOf.test(url)))
    if (kind !== undefined) this.#delay(kind.long, kind.collects)
  }

  /** Notes that the command copies a tree by FTP, whose size nobody knows yet. */
  expectTree(): void {
    this.#delay(longTree, false)
  }

  /** Notes that the command retrieves more URLs than `most`. */
  expectMany(): void {
    if (this.#changed !== null) return
    this.#changed = growing
    setFlagsFromString(growing.never)
  }

  #delay(long: number, collects: boolean): void {
    const flags = flagsOf[Number.parseInt(process.versions.node, 10)]
    if (flags === undefined || this.#changed !== null || millisecondsLeft(long) <= 0) return
    this.#changed = collects ? both(flags, collecting) : flags
    setFlagsFromString(this.#changed.never)
    this.#wait(long)
  }

  /** Loads code under the usual flags, since V8 rejects what was compiled under others, Node's own modules too. */
  undelayed<T>(load: () => T): T {
    if (this.#changed === null) return load()
    const { usual, never } = this.#changed
    setFlagsFromString(usual)
    try {
      return load()
    } finally {
      setFlagsFromString(never)
    }
  }

  #wait(long: number): void {
    const left = millisecondsLeft(long)
    if (left > 0) setTimeout(() => this.#wait(long), Math.max(left, 50)).unref()
    else this.#end()
  }

  /** Gives V8 its usual flags back. */
  #end(): void {
    if (this.#changed !== null) setFlagsFromString(this.#changed.usual)
    this.#changed = null
  }
}

function both(one: Flags, other: Flags): Flags {
  return { usual: `${one.usual} ${other.usual}`, never: `${one.never} ${other.never}` }
}

/** How much CPU time a command may still take and be short. */
function millisecondsLeft(long: number): number {
  const { user, system } = process.cpuUsage()
  return long - (user + system) / 1000
}
