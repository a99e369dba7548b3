#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { main } from './main.ts'

// What stands in argv may hold a password; this overwrites it in the process list.
process.title = 'retrieve'

// undici's parser is WebAssembly, and V8 begins to optimise it at the first answer; Node does not end before that is
// done, 80 to 100 ms after all is out. Unoptimised it is fast enough: large bodies go past it. Node 24 waits longer
// with it by itself; of later ones nobody knows the flags.
if (Number.parseInt(process.versions.node, 10) < 24) setFlagsFromString('--wasm-tiering-budget=100000000')

const code = await main(process.argv.slice(2), process.env)
// After an interrupt a write to a reader that has paused may be pending for ever; otherwise all output is out already.
if (code > 128) process.exit(code)
process.exitCode = code
