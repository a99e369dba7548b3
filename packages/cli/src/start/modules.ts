import { posix } from 'node:path'

interface Module {
  exports: unknown
}

type Load = (id: string) => unknown

/** Runs a module: its text is the body. */
type Factory = (exports: unknown, require: Load, module: Module) => void

/** The content of a file of the bundle: a module, or several by name, some of which are in another such file. */
export type BundledFile = Factory | Readonly<Record<string, Factory | string>>

/**
 * The modules of the bundle, which are CommonJS. Each is run when it is first used. The names of modules and files are
 * paths below dist/.
 */
export class BundledModules {
  readonly #open: (file: string) => BundledFile
  readonly #other: Load
  readonly #modules = new Map<string, Module>()
  /** Modules that share a file, or the names of the files that they are in. */
  readonly #packed = new Map<string, Factory | string>()

  /** `open` gives a file of the bundle, `other` a module of Node or of another package. */
  constructor(open: (file: string) => BundledFile, other: Load) {
    this.#open = open
    this.#other = other
  }

  load(name: string): unknown {
    const known = this.#modules.get(name)
    if (known !== undefined) return known.exports
    const module: Module = { exports: {} }
    this.#modules.set(name, module)
    const folder = posix.dirname(name)
    const load: Load = (id) => (id.startsWith('.') ? this.load(posix.join(folder, id)) : this.#other(id))
    this.#factoryOf(name)(module.exports, load, module)
    return module.exports
  }

  #factoryOf(name: string): Factory {
    const packed = this.#packed.get(name)
    if (typeof packed === 'function') return packed
    const file = this.#open(packed ?? name)
    if (typeof file === 'function') return file
    for (const [each, module] of Object.entries(file)) this.#packed.set(each, module)
    return this.#factoryOf(name)
  }
}
