import type { Plan } from './plan.ts'

/** The plans that make no connection: what is here, what is in the URL, and what a program is given. */

export interface FilePlan extends Plan<'file'> {
  readonly host: string | null
  readonly path: string
}

export interface MailtoPlan extends Plan<'mailto'> {
  readonly to: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

export interface DataPlan extends Plan<'data'> {
  readonly mediaType: string
  readonly size: number
  readonly octets: string
}

export interface MessagePlan extends Plan<'message'> {
  readonly messageId: string | null
  readonly contentId: string | null
}

export interface UrnPlan extends Plan<'urn'> {
  readonly nid: string
  readonly nss: string
  readonly rComponent: string | null
  readonly qComponent: string | null
  /** A URL where the namespace's publisher keeps it, where one is known. */
  readonly locatedAt: string | null
}

export interface ManPlan extends Plan<'man'> {
  readonly page: string | null
  readonly section: string | null
}

export interface InfoPlan extends Plan<'info'> {
  readonly file: string
  readonly node: string
}

export interface WhatisPlan extends Plan<'whatis'> {
  readonly query: string
}

export interface GhelpPlan extends Plan<'ghelp'> {
  readonly service: string
  readonly document: string
  readonly page: string | null
}

export interface TocPlan extends Plan<'toc'> {
  readonly service: string
  readonly start: string
}

export interface AfsPlan extends Plan<'afs'> {
  readonly path: string
}

export interface MailserverPlan extends Plan<'mailserver'> {
  readonly service: string
  readonly text: string
}
