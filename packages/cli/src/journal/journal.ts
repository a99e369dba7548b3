import { closeSync, lstatSync, openSync, readSync } from 'node:fs'
import { printable, RetrievalError, redact } from '@retriever/core'
import { type FileLock, lockFile } from '@retriever/fetchers/internal'
import type { CommandName } from '../commands/index.ts'
import { usageError } from '../exit-codes.ts'
import { checkTarget, tryFile } from '../saving/destination.ts'
import { ownPath } from '../saving/own-file.ts'
import { errorRecord } from '../terminal/report.ts'
import { Appender } from './appender.ts'
import type { Item } from './item.ts'
import { againAfter } from './lasting.ts'
import { type Done, type Failed, formatLine, type Line, parseLine, type UrlLine, version } from './line.ts'
import { type Extent, readLines } from './lines-of.ts'
import { Memory } from './memory.ts'
import { settle } from './settle.ts'

export interface JournalOptions {
  readonly command: CommandName
  /** Whether URLs that failed for good are asked for again, and those whose time has not come. */
  readonly retriesFailed: boolean
  /** Whether a run that came to its end begins a new round, in which each URL is asked for again. */
  readonly hasRounds?: boolean
  /** Gets the name of each file that an earlier run gave to a URL. */
  readonly onFile?: (file: string) => void
}

/** What is known about a URL before it is asked for. */
export type Known =
  /** `file` is the file that an earlier run gave to it; `isOurs` means that this file may be replaced. */
  | { readonly is: 'open'; readonly file: string | null; readonly isOurs: boolean }
  /** Its line stands at this position. */
  | { readonly is: 'done'; readonly at: number }
  | { readonly is: 'failed'; readonly line: Failed }

const unknown: Known = { is: 'open', file: null, isOurs: false }

type Facts<L extends UrlLine> = Omit<L, 'event' | 'at' | keyof Item>

/**
 * The journal of a command with many URLs: a line for each that begins, is done or fails. Only one process writes it,
 * and the same command goes on from it.
 */
export class Journal implements AsyncDisposable {
  readonly #path: string
  readonly #lock: FileLock
  readonly #memory: Memory
  readonly #appender: Appender
  /** The position behind the lines of earlier runs. */
  readonly #begin: number
  /** For reading earlier lines. */
  readonly #file: number
  readonly #retriesFailed: boolean
  /** How many damaged lines it had. */
  readonly damaged: number
  #isWhole = false
  #urls: number | null = null

  private constructor(path: string, lock: FileLock, memory: Memory, extent: Extent, options: JournalOptions) {
    const { command } = options
    this.#path = path
    this.#lock = lock
    this.#begin = extent.end
    this.#memory = memory
    this.#retriesFailed = options.retriesFailed
    this.damaged = extent.damaged
    this.#appender = new Appender(path, extent.end)
    this.#file = tryFile(path, () => openSync(path, 'r'))
    const { unsureFrom } = memory
    const unsure = Number.isFinite(unsureFrom) ? { unsure: unsureFrom } : {}
    const { pid } = process
    this.#add({ event: 'opened', at: now(), version, command, pid, boot: lock.boot, ...unsure })
  }

  /** Rejects with `write-failed` if another process writes it, with `file-failed` if the file is no journal. */
  static async open(path: string, options: JournalOptions): Promise<Journal> {
    checkTarget(path, true, false)
    const place = ownPath(path)
    const lock = await lockFile(place)
    try {
      let memory = new Memory()
      let command: CommandName | null = null
      const exists = lstatSync(place, { throwIfNoEntry: false }) !== undefined
      const extent = exists
        ? await readLines(place, (line, at) => {
            if (line.event === 'opened') {
              command = line.command
              if (options.hasRounds && memory.isWhole) memory = new Memory()
            }
            if ('file' in line && line.file !== null) options.onFile?.(line.file)
            memory.add(line, at)
          })
        : { end: 0, damaged: 0 }
      if (command !== null && command !== options.command) throw otherCommand(path, command, options.command)
      if (options.hasRounds && memory.isWhole) memory = new Memory()
      memory.conclude(lock.boot)
      return new Journal(place, lock, memory, extent, options)
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /**
   * What earlier runs say about a URL. Completes the file of a line that was written before the file had its name.
   * `isOwn` says whether the command itself would give a file this name; a line with another is ignored.
   */
  async known({ key }: Item, isOwn: (file: string) => boolean): Promise<Known> {
    const found = this.#memory.get(key)
    if (found === null) return unknown
    const { at, state } = found
    if (state === 'done' && at < this.#memory.unsureFrom) return { is: 'done', at }
    const line = at < this.#begin ? this.lineAt(at) : null
    if (line === null || !('file' in line) || (line.file !== null && !isOwn(line.file))) return unknown
    if (line.event === 'begun') return { is: 'open', file: line.file, isOurs: false }
    if (line.event === 'failed') {
      const isLeft = !this.#retriesFailed && (line.again === null || line.again > now())
      return isLeft ? { is: 'failed', line } : { is: 'open', file: line.file, isOurs: false }
    }
    if (await settle(line, this.#memory.isSameBoot)) return { is: 'done', at }
    return { is: 'open', file: line.file, isOurs: true }
  }

  begun(item: Item, file: string | null): void {
    this.#write(item, { event: 'begun', file })
  }

  /** Resolves when the line is on the disk. Rejects with `write-failed`. */
  async done(item: Item, facts: Facts<Done>): Promise<void> {
    this.#write(item, { event: 'done', ...facts })
    await this.#appender.committed()
  }

  failed(item: Item, error: unknown, exit: number, { file, result }: Pick<Failed, 'file' | 'result'>): void {
    // Any other error is a defect of the command.
    const { code, status = null } = RetrievalError.is(error) ? error : defect
    const message = printable(redact(errorRecord(error).message))
    const reason = { code, message, status, exit, again: againAfter(error) }
    this.#write(item, { event: 'failed', file, ...reason, ...(result && { result }) })
  }

  /** Notes how many URLs there are. */
  listed(urls: number): void {
    this.#urls = urls
    this.#add({ event: 'listed', at: now(), urls })
  }

  /** Notes that the command came to the end of its URLs: so many, without those that are repeated. */
  whole(urls: number): void {
    if (urls !== this.#urls) this.listed(urls)
    this.#isWhole = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#add({ event: 'ended', at: now(), isWhole: this.#isWhole })
      await this.#appender.close()
    } finally {
      closeSync(this.#file)
      await this.#lock.release()
    }
  }

  #write({ key, ...item }: Item, { event, ...facts }: Unstamped): void {
    const line = { event, at: now(), ...item, ...facts } as UrlLine
    this.#memory.set(key, event, this.#add(line))
  }

  #add(line: Line): number {
    return this.#appender.add(formatLine(line))
  }

  /** The line of an earlier run at this position; null if it is damaged. */
  lineAt(at: number): Line | null {
    const octets = Buffer.alloc(lineLength)
    let text = ''
    for (let from = at; !text.includes('\n'); from += octets.length) {
      const read = tryFile(this.#path, () => readSync(this.#file, octets, 0, octets.length, from))
      if (read === 0) return null
      text += octets.toString('latin1', 0, read)
    }
    return parseLine(Buffer.from(text.slice(0, text.indexOf('\n')), 'latin1').toString('utf8'))
  }
}

const defect = { code: 'aborted', status: null } as const

/** Most lines are shorter. */
const lineLength = 4096

type Unstamped = {
  [E in UrlLine['event']]: { readonly event: E } & Facts<Extract<UrlLine, { event: E }>>
}[UrlLine['event']]

function now(): string {
  return new Date().toISOString()
}

function otherCommand(path: string, has: CommandName, wanted: CommandName): RetrievalError {
  return usageError(`${path} is the journal of \`retrieve ${has}\`: name another file for \`retrieve ${wanted}\`.`)
}
