import { runParts } from './lib/parts.mjs'
import { articles } from './runs/nntp-articles.mjs'

export const about =
  'News: round trips for a newsgroup of 1,000 articles, beside slrnpull and bare sockets (or: articles [RUNS]).'

export const run = (args) => runParts('nntp', { articles }, args)
