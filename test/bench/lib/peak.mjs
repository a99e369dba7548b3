// Preloaded: writes this process's peak resident set, in KiB, to descriptor 3 at its end.
import { writeSync } from 'node:fs'
import { peakMemory } from './peak-memory.mjs'

process.on('exit', () => writeSync(3, String(peakMemory())))
