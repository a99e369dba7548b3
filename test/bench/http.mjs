import { bodies } from './lib/http-bodies.mjs'
import { gigabyte } from './lib/http-gigabyte.mjs'
import { runParts } from './lib/parts.mjs'

export const about =
  'HTTP beside curl, wget2, aria2c and bare undici (or: gigabyte | bodies [RUNS]), on the nginx of pnpm interop.'

export const run = (args) => runParts('http', { gigabyte, bodies }, args)
