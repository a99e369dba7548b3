import type { Scheme } from '../scheme.ts'
import { data } from './data.ts'
import { dict } from './dict.ts'
import { file } from './file.ts'
import { finger } from './finger.ts'
import { ftp, ftpes, ftps } from './ftp.ts'
import { gemini } from './gemini.ts'
import { gopher, gophers } from './gopher.ts'
import { http, https } from './http/index.ts'
import { imap, imaps } from './imap/index.ts'
import { ldap, ldapi, ldaps } from './ldap/index.ts'
import { mailserver } from './mailserver.ts'
import { mailto } from './mailto.ts'
import { ghelp, help, info, man, toc, whatis } from './manual.ts'
import { cid, mid } from './message.ts'
import { mqtt, mqtts } from './mqtt/index.ts'
import { nfs } from './nfs.ts'
import { news, nntp, nntps, snews } from './nntp.ts'
import { pop, pop3, pop3s } from './pop.ts'
import { prospero } from './prospero.ts'
import { rtsp, rtsps, rtspu } from './rtsp.ts'
import { afs, irc, ircs } from './services.ts'
import { sftp } from './sftp.ts'
import { telnet, telnets } from './telnet.ts'
import { tftp } from './tftp.ts'
import { tn3270 } from './tn3270.ts'
import { urn } from './urn.ts'
import { wais } from './wais.ts'
import { ws, wss } from './websocket.ts'
import { z3950, z3950r, z3950s } from './z3950/index.ts'

/** Every known scheme, one a line. Fetchers are listed elsewhere, in the registry of @retriever/fetchers. */
export const builtinSchemes: readonly Scheme[] = [
  ftp,
  ftps,
  ftpes,
  http,
  https,
  gopher,
  gophers,
  mailto,
  news,
  nntp,
  snews,
  nntps,
  telnet,
  telnets,
  wais,
  file,
  prospero,
  ldap,
  ldaps,
  ldapi,
  data,
  cid,
  mid,
  urn,
  nfs,
  tn3270,
  afs,
  mailserver,
  z3950,
  z3950r,
  z3950s,
  man,
  info,
  whatis,
  ghelp,
  help,
  toc,
  rtsp,
  rtsps,
  rtspu,
  irc,
  ircs,
  sftp,
  pop,
  pop3,
  pop3s,
  imap,
  imaps,
  ws,
  wss,
  mqtt,
  mqtts,
  dict,
  finger,
  gemini,
  tftp,
]
