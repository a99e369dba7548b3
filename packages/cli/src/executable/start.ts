import { posix } from 'node:path'
import { getRawAsset } from 'node:sea'
import { Script } from 'node:vm'

interface Module {
  exports: unknown
}

// Overwrites the arguments in the process list, since they may hold a password.
process.title = 'retrieve'

const modules = new Map<string, Module>()
const { main } = load('main.js') as typeof import('../main.ts')

// As in bin.ts.
void main(process.argv.slice(2), process.env, process).then((code) => {
  if (code > 128) process.exit(code)
  process.exitCode = code
})

/**
 * Loads a chunk of the bundle when it is first used. Chunks and the code that V8 made of them are assets of the single
 * file (executable.mjs); code that another V8 made is rejected, and compiled anew.
 */
function load(path: string): unknown {
  const known = modules.get(path)
  if (known !== undefined) return known.exports
  const module: Module = { exports: {} }
  modules.set(path, module)
  const source = `(function (exports, require, module) {${asset(path).toString()}\n})`
  const script = new Script(source, { filename: path, cachedData: asset(`${path}.code`) })
  const folder = posix.dirname(path)
  const loadFrom = (id: string): unknown => {
    if (id.startsWith('.')) return load(posix.join(folder, id))
    return id === 'ssh2' ? load('ssh2.js') : builtin(id)
  }
  script.runInThisContext()(module.exports, loadFrom, module)
  return module.exports
}

/** A module of Node. Nothing else is loaded from the disk, whatever lies beside the file: ssh2 tries addons. */
function builtin(id: string): unknown {
  const module = process.getBuiltinModule(id)
  if (module === undefined) throw new Error(`The single file has no module ${id}.`)
  return module
}

function asset(key: string): Buffer {
  return Buffer.from(getRawAsset(key) as ArrayBuffer)
}
