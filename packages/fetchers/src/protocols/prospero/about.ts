import { prospero as prosperoScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'
import type { RowsOf } from '../../contract/options.ts'
import { flag } from '../../kit/options.ts'

/** The options of a retrieval that Prospero alone honours. */
export interface ProsperoOptions {
  /**
   * True: if another protocol (FTP, Gopher) has the object's data, retrieves them by the first access method of the
   * server that the policy and this client allow. Default false: lists the access methods.
   */
  readonly followAccess?: boolean
}

declare module '../../contract/options.ts' {
  interface NamedOptions {
    readonly prospero?: ProsperoOptions
  }
}

export const prospero: About<'prospero'> = {
  mechanism: 'prospero',
  schemes: [prosperoScheme],
  title: 'Prospero',
  honours: { ifChangedSince: 'all', ifUnchangedSince: 'all' },
  options: { followAccess: { kind: flag, neutral: false, extent: 'all' } } satisfies RowsOf<ProsperoOptions>,
}
