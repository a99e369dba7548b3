#!/usr/bin/env node
import { resolve } from 'node:path'
import { commandNames } from './commands/index.ts'
import { ChunkLoader } from './load.ts'

// Overwrites the arguments in the process list, since they may hold a password.
process.title = 'retrieve'

// Each command loads other chunks, so each has its own file of compiled code.
const [, , first = ''] = process.argv
const command = commandNames.find((name) => name === first) ?? (/^(-V|--version)$/.test(first) ? 'version' : 'get')
const loader = new ChunkLoader(__filename, command)
const { main } = loader.load(resolve(__dirname, 'main.js')) as typeof import('./main.ts')

// The bundle is CommonJS, which starts faster but has no await here. main() never rejects.
void main(process.argv.slice(2), process.env, process, loader.optimisation).then((code) => {
  // After an interrupt, a write to a paused reader may stay pending for ever, so the process must be ended. Otherwise
  // all output is already written.
  if (code > 128) process.exit(code)
  process.exitCode = code
})
