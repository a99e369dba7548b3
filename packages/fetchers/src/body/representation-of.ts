import type { MetadataByMechanism } from '../contract/metadata.ts'
import type { Representation } from './representation.ts'

/** The mechanisms of schemes that have another name. test/completeness.test.ts compares them with the schemes. */
interface MechanismByScheme {
  ftps: 'ftp'
  ftpes: 'ftp'
  https: 'http'
  gophers: 'gopher'
  news: 'nntp'
  snews: 'nntp'
  nntps: 'nntp'
  ldaps: 'ldap'
  ldapi: 'ldap'
  'z39.50r': 'z3950'
  pop: 'pop3'
  pop3s: 'pop3'
  imaps: 'imap'
  wss: 'ws'
  mqtts: 'mqtt'
}

/** Mechanisms whose answers may lead to HTTP: by a redirect, an access method, a link. */
type Leading = 'gemini' | 'nfs' | 'prospero' | 'rtsp'

type MechanismOf<Scheme extends string> = Scheme extends keyof MechanismByScheme
  ? MechanismByScheme[Scheme]
  : Scheme extends Leading
    ? null
    : Scheme

/**
 * What the retrieval of a URL gives if no proxy and no gateway is used. If the program writes the URL, its scheme tells
 * the type of `metadata`.
 */
export type RepresentationOf<Url> = Url extends `${infer Scheme}:${string}`
  ? MechanismOf<Lowercase<Scheme>> extends keyof MetadataByMechanism
    ? Extract<Representation, { readonly mechanism: MechanismOf<Lowercase<Scheme>> }>
    : Representation
  : Representation
