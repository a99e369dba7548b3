import { runParts } from './lib/parts.mjs'
import { bodies } from './runs/http-bodies.mjs'
import { gigabyte } from './runs/http-gigabyte.mjs'
import { list } from './runs/http-list.mjs'

export const about =
  'HTTP beside curl, wget2, aria2c and bare undici (or: gigabyte | bodies [RUNS] | list [COUNT SIZE RUNS]), on the nginx of pnpm interop.'

export const run = (args) => runParts('http', { gigabyte, bodies, list }, args)
