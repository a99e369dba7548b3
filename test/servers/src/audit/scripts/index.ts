import type { Script } from '../script.ts'
import { ftp } from './ftp.ts'
import { ftpEndless } from './ftp-endless.ts'
import { gopher, nntp } from './gopher-news.ts'
import { httpFraming } from './http-framing.ts'
import { httpLimits } from './http-limits.ts'
import { httpNames } from './http-names.ts'
import { httpOrdinary } from './http-ordinary.ts'
import { httpRedirect } from './http-redirect.ts'
import { httpSecrets } from './http-secrets.ts'
import { httpTerminal } from './http-terminal.ts'
import { httpTime } from './http-time.ts'
import { https } from './https.ts'
import { others } from './others.ts'

/** All scripts of the audit, in the order in which they are reported. */
export const scripts: readonly Script[] = [
  ...httpOrdinary,
  ...httpFraming,
  ...httpLimits,
  ...httpRedirect,
  ...httpSecrets,
  ...httpNames,
  ...httpTerminal,
  ...httpTime,
  ...https,
  ...ftp,
  ...ftpEndless,
  ...gopher,
  ...nntp,
  ...others,
]
