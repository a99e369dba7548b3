#!/usr/bin/env node
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { commandNames } from './commands/index.ts'
import { ChunkLoader } from './load.ts'

// Overwrites the arguments in the process list: they may hold a password.
process.title = 'retrieve'

// undici's parser is WebAssembly. V8 begins to optimise it at the first response, and Node waits 80 to 100 ms for that
// after all output is written. The parser is fast enough without, as large bodies bypass it. Node 24 starts the
// optimisation later by itself, and versions after it may not know the flag. Compiled code is of use only to processes
// with the same flags: they are set before any is loaded.
if (Number.parseInt(process.versions.node, 10) < 24) setFlagsFromString('--wasm-tiering-budget=2000000000')

// Each command has a file of compiled code of its own, since each loads other chunks.
const [, , first = ''] = process.argv
const command = commandNames.find((name) => name === first) ?? (/^(-V|--version)$/.test(first) ? 'version' : 'get')
const { main } = new ChunkLoader(__filename, command).load(resolve(__dirname, 'main.js')) as typeof import('./main.ts')

// Not awaited here: the bundle is CommonJS, which starts faster. main() never rejects.
void main(process.argv.slice(2), process.env).then((code) => {
  // After an interrupt, a write to a paused reader may stay pending for ever. Otherwise all output is written by now.
  if (code > 128) process.exit(code)
  process.exitCode = code
})
