import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { devNull } from 'node:os'
import { dirname, resolve } from 'node:path'
import { Script } from 'node:vm'
import { Optimisation } from './optimisation.ts'

/**
 * The build of the bundle, which bundle.mjs puts here. Compiled code of another build does not fit, and V8 compares
 * only the length of the source.
 */
declare const RETRIEVE_BUILD: string

interface Module {
  exports: unknown
}

/** The head of a cache file. */
interface Table {
  /** How many more runs add the code that they compile, since no run uses all functions. */
  readonly runs: number
  /** Where the compiled code of each chunk lies in the file, behind the table, and its digest. */
  readonly places: Readonly<Record<string, readonly [start: number, end: number, digest: number]>>
}

const learningRuns = 3

/** The mode bits that let the group and others write. */
const othersWrite = 0o022

/** Whether the file belongs to this user or to root. On Windows, Node does not tell the owner. */
function isOurs({ uid }: Stats): boolean {
  const user = process.geteuid?.()
  return user === undefined || uid === user || uid === 0
}

/** Whether nobody else can have written the file. */
function isSafe(stats: Stats): boolean {
  return isOurs(stats) && (process.platform === 'win32' || (stats.mode & othersWrite) === 0)
}

/**
 * Loads the chunks of the bundle, which are CommonJS, with code that V8 compiled in earlier runs: compiling takes
 * longer than all else at the start. Each command keeps its code in a file in dist/.cache. Since that code is run,
 * folder and file must belong to this user or to root, and nobody else may have the right to write them. If that fails,
 * or the folder cannot be written, everything works, only slower.
 */
export class ChunkLoader {
  readonly optimisation: Optimisation = new Optimisation()
  readonly #file: string
  readonly #require: NodeJS.Require
  readonly #modules = new Map<string, Module>()
  /** The scripts that this run has loaded. */
  readonly #scripts = new Map<string, Script>()
  /** The compiled code of earlier runs; a run reads only the parts that it uses. `places` are counted from `start`. */
  #compiled: { readonly file: number; readonly start: number; readonly places: Table['places'] } | null = null
  #runs = learningRuns
  /** A file that is open only to be closed for another one. */
  #reserve: number | null = openReserve()

  constructor(bin: string, command: string) {
    this.#require = createRequire(bin)
    const name = `${process.version}-${process.arch}-${RETRIEVE_BUILD}-${command}`
    this.#file = resolve(dirname(bin), '.cache', name)
    this.#readCompiled()
    process.once('exit', () => this.optimisation.undelayed(() => this.#write()))
  }

  load(path: string): unknown {
    const known = this.#modules.get(path)
    if (known !== undefined) return known.exports
    const module: Module = { exports: {} }
    this.#modules.set(path, module)
    const folder = dirname(path)
    const load = (id: string): unknown =>
      id.startsWith('.') ? this.load(resolve(folder, id)) : this.optimisation.undelayed(() => this.#require(id))
    this.#compile(path).runInThisContext()(module.exports, load, module)
    return module.exports
  }

  #compile(path: string): Script {
    const source = `(function (exports, require, module) {${this.#read(path)}\n})`
    const cachedData = this.#compiledCode(path)
    const options = { filename: path, ...(cachedData !== undefined && { cachedData }) }
    const script = this.optimisation.undelayed(() => new Script(source, options))
    if (cachedData === undefined) this.#runs = this.#runs < 0 ? this.#runs : learningRuns
    // Node runs with unusual flags, and V8 rejected this code, so the run must not replace it.
    else if (script.cachedDataRejected === true) this.#runs = Number.NEGATIVE_INFINITY
    this.#scripts.set(path, script)
    return script
  }

  /** Reads a chunk, even if the process has as many files open as it may: an error is often reported by a chunk. */
  #read(path: string): string {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if (this.#reserve === null || !isOutOfFiles(error)) throw error
      closeSync(this.#reserve)
      try {
        return readFileSync(path, 'utf8')
      } finally {
        this.#reserve = openReserve()
      }
    }
  }

  /** Reads the file: ten digits with the length of the table, the table as JSON, the code. */
  #readCompiled(): void {
    try {
      const folder = dirname(this.#file)
      const stats = lstatSync(folder, { throwIfNoEntry: false })
      // A new folder is made only within a folder that belongs to us.
      if (stats === undefined ? !isOurs(lstatSync(dirname(folder))) : !isSafe(stats) || !stats.isDirectory()) {
        this.#runs = Number.NEGATIVE_INFINITY
        return
      }
      const file = openSync(this.#file, 'r')
      if (!isSafe(fstatSync(file))) throw new Error('Somebody else may have written it.')
      const start = 10 + Number(part(file, 0, 10).toString('latin1'))
      const { runs, places }: Partial<Table> = JSON.parse(part(file, 10, start).toString('utf8'))
      if (runs === undefined || places === undefined) return
      this.#compiled = { file, start, places }
      this.#runs = runs
    } catch {
      // There is no file yet, or an unusable one.
    }
  }

  /** The compiled code of a chunk; undefined if there is none or it is damaged. */
  #compiledCode(path: string): Buffer | undefined {
    const place = this.#compiled?.places[path]
    if (!this.#compiled || place === undefined) return undefined
    const { file, start } = this.#compiled
    try {
      const code = part(file, start + place[0], start + place[1])
      return digestOf(code) === place[2] ? code : undefined
    } catch {
      return undefined
    }
  }

  #write(): void {
    if (!(this.#runs > 0)) return
    try {
      const begun = `${this.#file}.${process.pid}`
      // The modes are explicit, since a umask of 0 would let others write what we run.
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o755 })
      // This throws if the folder cannot be written, before the run spends time on making the code.
      writeFileSync(begun, '', { mode: 0o644 })
      const paths = new Set([...Object.keys(this.#compiled?.places ?? {}), ...this.#scripts.keys()])
      const codes: Buffer[] = []
      const places: Record<string, readonly [number, number, number]> = {}
      let length = 0
      for (const path of paths) {
        const code = this.#scripts.get(path)?.createCachedData() ?? this.#compiledCode(path)
        if (code === undefined) continue
        places[path] = [length, length + code.length, digestOf(code)]
        length += code.length
        codes.push(code)
      }
      const table = Buffer.from(JSON.stringify({ runs: this.#runs - 1, places } satisfies Table))
      const head = Buffer.from(String(table.length).padStart(10, '0'))
      // Flushes the file, so that a power cut leaves no file of zeros.
      const content = Buffer.concat([head, table, ...codes])
      writeFileSync(begun, content, { flush: true })
      // Windows cannot replace an open file.
      if (this.#compiled) closeSync(this.#compiled.file)
      renameSync(begun, this.#file)
    } catch {
      // We may have no right to write to the folder.
    }
  }
}

function openReserve(): number | null {
  try {
    return openSync(devNull, 'r')
  } catch {
    return null
  }
}

function isOutOfFiles(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE'
}

/** The octets of an open file from `start` to `end`. Throws if the file ends before `end`. */
function part(file: number, start: number, end: number): Buffer {
  const octets = Buffer.allocUnsafeSlow(end - start)
  if (readSync(file, octets, 0, octets.length, start) < octets.length) throw new Error('The file is cut.')
  return octets
}

/**
 * A digest that shows damage. V8 does not look for damage, and would crash. This digest takes about a millisecond,
 * loading node:crypto takes three. Since it rotates, a change of a single word always shows. V8 pads its code to words.
 */
function digestOf(code: Buffer): number {
  const words = new Int32Array(code.buffer, code.byteOffset, code.length >> 2)
  let digest = code.length
  for (let at = 0; at < words.length; at++) digest = ((digest << 1) | (digest >>> 31)) ^ (words[at] ?? 0)
  return digest
}
