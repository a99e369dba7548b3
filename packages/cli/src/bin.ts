#!/usr/bin/env node
import { main } from './main.ts'

// What stands in argv may hold a password; this overwrites it in the process list.
process.title = 'retrieve'

const code = await main(process.argv.slice(2), process.env)
// After an interrupt a write to a reader that has paused may be pending for ever; otherwise all output is out already.
if (code > 128) process.exit(code)
process.exitCode = code
