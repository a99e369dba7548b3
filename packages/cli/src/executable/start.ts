import { getRawAsset } from 'node:sea'
import { Script } from 'node:vm'
import { type BundledFile, BundledModules } from '../start/modules.ts'

// Overwrites the arguments in the process list, since they may hold a password.
process.title = 'retrieve'

const modules = new BundledModules(open, (id) => (id === 'ssh2' ? modules.load('ssh2.js') : builtin(id)))
const { main } = modules.load('main.js') as typeof import('../main.ts')

// As in bin.ts.
void main(process.argv.slice(2), process.env, process).then((code) => {
  if (code > 128) process.exit(code)
  process.exitCode = code
})

/**
 * A file of the bundle. These and the code that V8 made of them are assets of the single file (executable.mjs); code
 * that another V8 made is rejected, and compiled anew.
 */
function open(file: string): BundledFile {
  const script = new Script(asset(file).toString('latin1'), { filename: file, cachedData: asset(`${file}.code`) })
  return script.runInThisContext() as BundledFile
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
