#!/usr/bin/env node
import { resolve } from 'node:path'
import { commandNames } from './commands/index.ts'
import { ChunkLoader } from './load.ts'

// Overwrites the arguments in the process list: they may hold a password.
process.title = 'retrieve'

// Each command has a file of compiled code of its own, since each loads other chunks.
const [, , first = ''] = process.argv
const command = commandNames.find((name) => name === first) ?? (/^(-V|--version)$/.test(first) ? 'version' : 'get')
const { main } = new ChunkLoader(__filename, command).load(resolve(__dirname, 'main.js')) as typeof import('./main.ts')

// Not awaited here: the bundle is CommonJS, which starts faster. main() never rejects.
void main(process.argv.slice(2), process.env, process).then((code) => {
  // After an interrupt, a write to a paused reader may stay pending for ever. Otherwise all output is written by now.
  if (code > 128) process.exit(code)
  process.exitCode = code
})
