import { distance } from './distance.mjs'
import { ftpGigabyte, ftpSmall } from './ftp.mjs'
import { httpGigabyte, httpMissing, httpSmall, httpsGigabyte } from './http.mjs'
import { library } from './library.mjs'
import { memory } from './memory.mjs'
import { start } from './start.mjs'

/**
 * What is measured, in the order of the page. `measure(runs)` gives the rows of a group, none where its server is not
 * installed: `{ name, samples, ours, goal }`. `goal` is the most that the median should be: `{ most }`, or
 * `{ most, of }` times the median of another row.
 */
export const groups = [
  start,
  httpGigabyte,
  httpsGigabyte,
  ftpGigabyte,
  httpSmall,
  httpMissing,
  ftpSmall,
  library,
  distance,
  memory,
]
