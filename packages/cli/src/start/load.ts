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
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { type BundledFile, BundledModules } from './modules.ts'
import { Optimisation } from './optimisation.ts'

/**
 * The build of the bundle, which bundle.mjs puts here. Compiled code of another build does not fit, and V8 compares
 * only the length of the source.
 */
declare const RETRIEVE_BUILD: string

/** The head of a cache file. */
interface Table {
  /** How many more runs add the code that they compile, since no run uses all functions. */
  readonly runs: number
  /** Where the compiled code of each file of the bundle lies, behind the table, and its CRC. */
  readonly places: Readonly<Record<string, readonly [start: number, end: number, crc: number]>>
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
 * Loads the files of the bundle with code that V8 compiled in earlier runs: compiling takes longer than all else at the
 * start. Each command keeps its code in a file in dist/.cache. Since that code is run, folder and file must belong to
 * this user or to root, and nobody else may have the right to write them. If that fails, or the folder cannot be
 * written, everything works, only slower.
 */
export class ChunkLoader {
  readonly optimisation: Optimisation = new Optimisation()
  readonly #folder: string
  readonly #file: string
  readonly #modules: BundledModules
  /** The scripts that this run has loaded. */
  readonly #scripts = new Map<string, Script>()
  /** The compiled code of earlier runs; a run reads only the parts that it uses. `places` are counted from `start`. */
  #compiled: { readonly file: number; readonly start: number; readonly places: Table['places'] } | null = null
  #runs = learningRuns
  /** A file that is open only to be closed for another one. */
  #reserve: number | null = openReserve()

  constructor(bin: string, command: string) {
    this.#folder = dirname(bin)
    const name = `${process.version}-${process.arch}-${RETRIEVE_BUILD}-${command}`
    this.#file = join(this.#folder, '.cache', name)
    const require = createRequire(bin)
    this.#modules = new BundledModules(
      (file) => this.#compile(file).runInThisContext() as BundledFile,
      (id) => this.optimisation.undelayed(() => require(id)),
    )
    this.#readCompiled()
    process.once('exit', () => this.optimisation.undelayed(() => this.#write()))
  }

  load(name: string): unknown {
    return this.#modules.load(name)
  }

  #compile(name: string): Script {
    const path = join(this.#folder, name)
    const source = this.#read(path)
    const cachedData = this.#compiledCode(name)
    const options = { filename: path, ...(cachedData !== undefined && { cachedData }) }
    const script = this.optimisation.undelayed(() => new Script(source, options))
    if (cachedData === undefined) this.#runs = this.#runs < 0 ? this.#runs : learningRuns
    // Node runs with unusual flags, and V8 rejected this code, so the run must not replace it.
    else if (script.cachedDataRejected === true) this.#runs = Number.NEGATIVE_INFINITY
    this.#scripts.set(name, script)
    return script
  }

  /** Reads a file, which is ASCII, even if as many are open as may be: an error is often told by another chunk. */
  #read(path: string): string {
    try {
      return readFileSync(path, 'latin1')
    } catch (error) {
      if (this.#reserve === null || !isOutOfFiles(error)) throw error
      closeSync(this.#reserve)
      try {
        return readFileSync(path, 'latin1')
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

  /** The compiled code of a file; undefined if there is none or it is damaged, on which V8 would crash. */
  #compiledCode(name: string): Buffer | undefined {
    const place = this.#compiled?.places[name]
    if (!this.#compiled || place === undefined) return undefined
    const { file, start } = this.#compiled
    try {
      const code = part(file, start + place[0], start + place[1])
      return crc32(code) === place[2] ? code : undefined
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
      const names = new Set([...Object.keys(this.#compiled?.places ?? {}), ...this.#scripts.keys()])
      const codes: Buffer[] = []
      const places: Record<string, readonly [number, number, number]> = {}
      let length = 0
      for (const name of names) {
        const code = this.#scripts.get(name)?.createCachedData() ?? this.#compiledCode(name)
        if (code === undefined) continue
        places[name] = [length, length + code.length, crc32(code)]
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
