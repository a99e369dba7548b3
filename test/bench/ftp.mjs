import { files } from './lib/ftp-files.mjs'
import { gigabyte } from './lib/ftp-gigabyte.mjs'
import { latency } from './lib/ftp-latency.mjs'

export const about =
  'FTP beside curl, wget, lftp and aria2c (or: latency | files | gigabyte [RUNS]), on the real servers of pnpm interop.'

const parts = { latency, files, gigabyte }

export async function run([part, ...args]) {
  if (part !== undefined && !Object.hasOwn(parts, part)) {
    process.stderr.write(`ftp has no part ${part}: latency, files or gigabyte.\n`)
    process.exitCode = 2
    return
  }
  for (const name of part === undefined ? Object.keys(parts) : [part]) {
    process.stdout.write(`== ${name}\n`)
    await parts[name](args)
    process.stdout.write('\n')
  }
}
