#!/usr/bin/env node
import { main } from './main.ts'

// Overwrites the arguments in the process list: they may hold a password.
process.title = 'retrieve'

// Not awaited here: the bundle is CommonJS, which starts faster. main() never rejects.
void main(process.argv.slice(2), process.env).then((code) => {
  // After an interrupt, a write to a paused reader may stay pending for ever. Otherwise all output is written by now.
  if (code > 128) process.exit(code)
  process.exitCode = code
})
