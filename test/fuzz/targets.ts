import { fileNames, lines, terminal } from './cut-targets.ts'
import { answers } from './dialogues/answers-targets.ts'
import { directory } from './dialogues/directory-targets.ts'
import { http } from './dialogues/http-targets.ts'
import { kept } from './dialogues/kept-targets.ts'
import { mqtt, mqttTopic } from './dialogues/mqtt-targets.ts'
import { ws } from './dialogues/ws-targets.ts'
import { ldap, ldif } from './ldap-targets.ts'

import { nfs } from './nfs-targets.ts'

import { ardp, prospero, prosperoTokens } from './prospero-targets.ts'

import type { Target } from './target.ts'
import { telnet, telnetOptions, telnetText } from './telnet-targets.ts'
import { extract, redacting, reference, time } from './text-targets.ts'
import { tn3270, tn3270Dialogue } from './tn3270-targets.ts'
import { explained, normalized, resolved } from './url-targets.ts'
import { wais, waisDocid } from './wais-targets.ts'
import { marc, z3950, z3950Query } from './z3950-targets.ts'

/** All that `pnpm fuzz` can try, by name. */
export const targets: Readonly<Record<string, Target>> = {
  resolve: resolved,
  explain: explained,
  normalize: normalized,
  extract,
  reference,
  redact: redacting,
  terminal,
  lines,
  filename: fileNames,
  time,
  ldap,
  ldif,
  nfs,
  ardp,
  prospero,
  'prospero-tokens': prosperoTokens,
  z3950,
  marc,
  'z3950-query': z3950Query,
  telnet,
  'telnet-text': telnetText,
  'telnet-options': telnetOptions,
  tn3270,
  'tn3270-dialogue': tn3270Dialogue,
  wais,
  'wais-docid': waisDocid,
  answers,
  directory,
  http,
  kept,
  ws,
  mqtt,
  'mqtt-topic': mqttTopic,
}
