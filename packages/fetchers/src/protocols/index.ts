import type { Mechanism } from '@retriever/core'
import type { Protocol } from '../contract/about.ts'
import { afs } from './afs/about.ts'
import { data } from './data/about.ts'
import { dict } from './dict/about.ts'
import { file } from './file/about.ts'
import { finger } from './finger/about.ts'
import { ftp } from './ftp/about.ts'
import { gemini } from './gemini/about.ts'
import { ghelp } from './ghelp/about.ts'
import { gopher } from './gopher/about.ts'
import { http } from './http/about.ts'
import { imap } from './imap/about.ts'
import { info } from './info/about.ts'
import { ldap } from './ldap/about.ts'
import { mailserver } from './mailserver/about.ts'
import { mailto } from './mailto/about.ts'
import { man } from './man/about.ts'
import { message } from './message/about.ts'
import { mqtt } from './mqtt/about.ts'
import { nfs } from './nfs/about.ts'
import type { NfsOptions } from './nfs/options.ts'
import { nntp } from './nntp/about.ts'
import { pop3 } from './pop3/about.ts'
import { prospero } from './prospero/about.ts'
import { rtsp } from './rtsp/about.ts'
import { sftp } from './sftp/about.ts'
import type { SshOptions } from './sftp/options.ts'
import { telnet } from './telnet/about.ts'
import { tftp } from './tftp/about.ts'
import { tn3270 } from './tn3270/about.ts'
import { toc } from './toc/about.ts'
import { urn } from './urn/about.ts'
import { wais } from './wais/about.ts'
import { whatis } from './whatis/about.ts'
import { ws } from './ws/about.ts'
import { z3950 } from './z3950/about.ts'

/** Those options of a client that its protocols need. */
export interface ProtocolSettings {
  /** This machine's own names, in lower case. */
  readonly localHosts: readonly string[]
  readonly ssh?: SshOptions
  readonly nfs?: NfsOptions
}

/** The built-in protocols, one a line. The code of each is loaded on its first use. */
export function builtinProtocols({ localHosts, ssh, nfs: nfsOptions }: ProtocolSettings): readonly Protocol[] {
  return [
    { ...ftp, load: async () => (await import('./ftp/index.ts')).ftpFetcher() },
    {
      ...http,
      load: async () => (await import('./http/index.ts')).httpFetcher(),
      askedFor: async (asking) => (await import('./http/asked.ts')).askedOfHttp(asking),
    },
    { ...gopher, load: async () => (await import('./gopher/index.ts')).gopherFetcher() },
    { ...nntp, load: async () => (await import('./nntp/index.ts')).nntpFetcher() },
    { ...ldap, load: async () => (await import('./ldap/index.ts')).ldapFetcher() },
    { ...sftp, load: async () => (await import('./sftp/index.ts')).sftpFetcher(ssh) },
    { ...nfs, load: async () => (await import('./nfs/index.ts')).nfsFetcher(nfsOptions) },
    { ...pop3, load: async () => (await import('./pop3/index.ts')).pop3Fetcher() },
    { ...imap, load: async () => (await import('./imap/index.ts')).imapFetcher() },
    { ...ws, load: async () => (await import('./ws/index.ts')).wsFetcher() },
    { ...mqtt, load: async () => (await import('./mqtt/index.ts')).mqttFetcher() },
    { ...telnet, load: async () => (await import('./telnet/index.ts')).telnetFetcher() },
    { ...tn3270, load: async () => (await import('./tn3270/index.ts')).tn3270Fetcher() },
    { ...urn, load: async () => (await import('./urn/index.ts')).urnFetcher() },
    { ...mailto, load: async () => (await import('./mailto/index.ts')).mailtoFetcher() },
    { ...mailserver, load: async () => (await import('./mailserver/index.ts')).mailserverFetcher() },
    { ...message, load: async () => (await import('./message/index.ts')).messageFetcher() },
    { ...data, load: async () => (await import('./data/index.ts')).dataFetcher() },
    { ...finger, load: async () => (await import('./finger/index.ts')).fingerFetcher() },
    {
      ...wais,
      load: async () => (await import('./wais/index.ts')).waisFetcher(),
      askedFor: async (asking) => (await import('./wais/asked.ts')).askedOfWais(asking),
    },
    { ...z3950, load: async () => (await import('./z3950/index.ts')).z3950Fetcher() },
    { ...dict, load: async () => (await import('./dict/index.ts')).dictFetcher() },
    { ...gemini, load: async () => (await import('./gemini/index.ts')).geminiFetcher() },
    { ...rtsp, load: async () => (await import('./rtsp/index.ts')).rtspFetcher() },
    { ...tftp, load: async () => (await import('./tftp/index.ts')).tftpFetcher() },
    { ...prospero, load: async () => (await import('./prospero/index.ts')).prosperoFetcher() },
    { ...file, load: async () => (await import('./file/index.ts')).fileFetcher({ localHosts }) },
    { ...afs, load: async () => (await import('./afs/index.ts')).afsFetcher() },
    { ...man, load: async () => (await import('./man/index.ts')).manFetcher() },
    { ...info, load: async () => (await import('./info/index.ts')).infoFetcher() },
    { ...whatis, load: async () => (await import('./whatis/index.ts')).whatisFetcher() },
    { ...ghelp, load: async () => (await import('./ghelp/index.ts')).ghelpFetcher() },
    { ...toc, load: async () => (await import('./toc/index.ts')).tocFetcher() },
  ]
}

/** The mechanisms of the built-in fetchers. */
export const builtinMechanisms: readonly Mechanism[] = builtinProtocols({ localHosts: [] }).map(
  ({ mechanism }) => mechanism,
)
