import { runParts } from './lib/parts.mjs'
import { items } from './runs/gopher-items.mjs'

export const about = 'Gopher beside curl and bare sockets (or: items [RUNS]), on the nginx of pnpm interop.'

export const run = (args) => runParts('gopher', { items }, args)
