import { type AccountOptions, accountChecks, seedAccounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { type Checks, checkOptions, flag, listOf, texts, wholeNumber, word } from '../options.ts'
import { type ServerOptions, serverChecks, type TestServer, tlsOrExplicit } from '../test-server.ts'
import { allGroups } from './groups.ts'
import type { Kind } from './kinds.ts'
import type { Login } from './login.ts'
import { NntpSession, type NntpSettings } from './session.ts'

export interface NntpServerOptions extends Omit<ServerOptions, 'tls'>, AccountOptions {
  /** true: TLS from the first octet (nntps). 'explicit': the server offers STARTTLS (RFC 4642). Default false. */
  readonly tls?: boolean | 'explicit'
  /**
   * 'required': commands get 480 before AUTHINFO with one of the accounts; with tls 'explicit', AUTHINFO gets 483
   * before TLS. Default 'none'.
   */
  readonly auth?: 'none' | 'required'
  /**
   * Groups that need a login although others do not: they get 480, and LIST leaves them out. A group that the seed does
   * not have is made.
   */
  readonly private?: readonly string[]
  /**
   * The logins that are offered: AUTHINFO USER, AUTHINFO SASL PLAIN (RFC 4643). Default both, and for kind 'rfc977'
   * only 'user'.
   */
  readonly logins?: readonly Login[]
  /**
   * 'rfc977': no CAPABILITIES, MODE, OVER or LISTGROUP, LIST without arguments, and 430 for a missing number, as in sn.
   * 'transit': innd, which answers `401 MODE-READER` until MODE READER. Default 'modern'.
   */
  readonly kind?: Kind
  /** Whether the server has OVER and XOVER. Default true. */
  readonly overviews?: boolean
  /** How many articles `retriever.many` has, numbered from 1. Default 0: there is no such group. */
  readonly articles?: number
}

export const nntpChecks: Checks<NntpServerOptions> = {
  ...serverChecks,
  ...accountChecks,
  tls: tlsOrExplicit,
  private: texts,
  logins: listOf('user', 'sasl'),
  kind: word('modern', 'rfc977', 'transit'),
  overviews: flag,
  articles: wholeNumber,
}

/** A news server for readers: RFC 3977, XOVER, AUTHINFO (RFC 4643) and STARTTLS (RFC 4642). It takes no posts. */
export async function startNntpServer(options: NntpServerOptions = {}): Promise<TestServer> {
  checkOptions('startNntpServer', options, nntpChecks)
  return startNntpOn(options)
}

/** Starts a server; its options must have been checked. */
export async function startNntpOn(options: NntpServerOptions): Promise<TestServer> {
  const settings = settingsOf(options)
  const listener = new Listener(
    {
      name: 'nntp',
      scheme: 'nntp',
      serve: (connection, server) => new NntpSession(connection, server, settings).run(),
    },
    { ...options, tls: options.tls === true },
  )
  return listener.listen(options.port ?? 0)
}

function settingsOf(options: NntpServerOptions): NntpSettings {
  const { kind = 'modern', overviews = true, articles = 0, auth = 'none', private: closed = [] } = options
  const { logins = kind === 'rfc977' ? ['user'] : ['user', 'sasl'] } = options
  return {
    kind,
    overviews,
    logins,
    groups: allGroups({ many: articles, private: closed }),
    authRequired: auth === 'required',
    private: new Set(closed),
    login: auth === 'required' || closed.length > 0,
    explicitTls: options.tls === 'explicit',
    accounts: options.accounts ?? seedAccounts,
  }
}
