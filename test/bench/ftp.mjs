import { runParts } from './lib/parts.mjs'
import { files } from './runs/ftp-files.mjs'
import { gigabyte } from './runs/ftp-gigabyte.mjs'
import { latency } from './runs/ftp-latency.mjs'

export const about =
  'FTP beside curl, wget, lftp and aria2c (or: latency | files | gigabyte [RUNS]), on the real servers of pnpm interop.'

export const run = (args) => runParts('ftp', { latency, files, gigabyte }, args)
