import type { Scheme } from '../scheme.ts'
import { file } from './file.ts'
import { ftp, ftps } from './ftp.ts'
import { gopher, gophers } from './gopher.ts'
import { http, https } from './http.ts'
import { news, nntp, nntps, snews } from './nntp.ts'
import { telnet } from './telnet.ts'

/** Every scheme known, one a line. Who can fetch which mechanism is another table: the fetchers' registry. */
export const builtinSchemes: readonly Scheme[] = [
  ftp,
  ftps,
  http,
  https,
  gopher,
  gophers,
  news,
  nntp,
  snews,
  nntps,
  telnet,
  file,
]
