import { runParts } from './lib/parts.mjs'
import { ftp, http, sftp } from './runs/mirror-trees.mjs'

export const about =
  'Mirrors of 5,000 small files beside wget -m, lftp and sftp -r (or: http | ftp | sftp [RUNS COUNT]), on real servers.'

export const run = (args) => runParts('mirror', { http, ftp, sftp }, args)
