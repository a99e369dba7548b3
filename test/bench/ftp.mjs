import { files } from './lib/ftp-files.mjs'
import { gigabyte } from './lib/ftp-gigabyte.mjs'
import { latency } from './lib/ftp-latency.mjs'
import { runParts } from './lib/parts.mjs'

export const about =
  'FTP beside curl, wget, lftp and aria2c (or: latency | files | gigabyte [RUNS]), on the real servers of pnpm interop.'

export const run = (args) => runParts('ftp', { latency, files, gigabyte }, args)
