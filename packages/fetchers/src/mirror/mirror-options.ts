import type { RetrievalError } from '@retriever/core'
import type { NamedTreeOptions, OptionKinds } from '../contract/options.ts'
import { invalidOption } from '../kit/limits.ts'
import { callback, checkOptions, flag, type OptionKind } from '../kit/options.ts'
import type { WholePart } from '../saving/save-options.ts'
import { type WalkOptions, walkKinds } from '../walk/walk-options.ts'

/** Options of Client.mirror. They include those of Client.walk. */
export interface MirrorOptions extends WalkOptions {
  /**
   * How many files and listings together to retrieve at a time: 1 to 16, within what the client allows. Default 4.
   */
  readonly concurrency?: number
  /** True: continue partial files that an interrupted run has left. False: begin them anew. Default true. */
  readonly resume?: boolean
  /**
   * True: at the end, delete local files that the server no longer has. Nothing is deleted unless every listing was
   * complete and the tree has entries. Default false.
   */
  readonly delete?: boolean
  /** True: write and delete nothing, only report in the results what would be saved and deleted. Default false. */
  readonly dryRun?: boolean
  /**
   * Called before a file is compared with the local one: `unchanged` leaves it as it is, and an error is its result.
   * Null: it is brought up to date. Not called with `dryRun`, and does not go together with `pages`.
   */
  readonly beforeFile?: (file: MirrorFile) => Promise<'unchanged' | RetrievalError | null>
  /** Called when a file is complete, before it gets its name, which waits for it: see SaveOptions.beforeName. */
  readonly beforeName?: (file: MirrorFile, whole: WholePart) => Promise<void> | void
  /**
   * True: copy the web site below the start by the links of its pages and style sheets, and make these links lead to
   * the files. Only http and https. Default false: the tree of a listing.
   */
  readonly pages?: boolean
  /** With `pages`: bring images, style sheets, scripts and fonts from other servers, too. Default false. */
  readonly otherHosts?: boolean
  /** With `pages`: obey robots.txt, and pages, links and header fields that say nofollow. Default true. */
  readonly robots?: boolean
  /** Called with each result. If it throws, or its promise rejects, the mirroring ends with that error. */
  readonly onResult?: (result: MirrorResult) => void
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<keyof MirrorOptions, true>> {}
}

/** A file of the tree. */
export interface MirrorFile {
  /** See WalkedEntry.path. */
  readonly path: string
  readonly url: string
  /** The local file. */
  readonly file: string
}

/** The outcome of one file. */
export type MirrorResult =
  | {
      readonly outcome: 'saved'
      /** See WalkedEntry.path. */
      readonly path: string
      readonly url: string
      /** The local file: the target folder, and the path with safe names. */
      readonly file: string
      /** The file's length in octets. */
      readonly size: number
      /** How many octets an earlier run had already received. */
      readonly resumedFrom: number
    }
  | {
      readonly outcome: 'skipped'
      readonly path: string
      readonly url: string
      /**
       * `unchanged`: the local file is complete and current. `repeated`: the listing names the entry twice. `outside`:
       * the entry is not within the option `scope`. `not-a-file`: the entry is a link, a search, a service or the like.
       */
      readonly reason: 'unchanged' | 'repeated' | 'outside' | 'not-a-file'
    }
  /** `path` is relative to the target folder. */
  | { readonly outcome: 'deleted'; readonly path: string; readonly file: string }
  /** A file could not be retrieved or written, or a folder could not be listed or made. */
  | { readonly outcome: 'failed'; readonly path: string; readonly url: string; readonly error: RetrievalError }

/** How many results each outcome has, and totals of the run. */
export interface MirrorSummary {
  readonly saved: number
  readonly skipped: number
  readonly deleted: number
  readonly failed: number
  /** How many octets of the saved files arrived in this run. */
  readonly received: number
  /** False if a listing was not complete. The server may then have more files, and nothing was deleted. */
  readonly isComplete: boolean
  /** The first 1000 failures. */
  readonly failures: readonly Extract<MirrorResult, { outcome: 'failed' }>[]
}

const mirrorKinds: Readonly<Record<Exclude<keyof MirrorOptions, keyof NamedTreeOptions>, OptionKind>> = {
  ...walkKinds,
  resume: flag,
  delete: flag,
  dryRun: flag,
  beforeFile: callback,
  beforeName: callback,
  pages: flag,
  otherHosts: flag,
  robots: flag,
  onResult: callback,
}

/** Throws RetrievalError `invalid-option`. */
export function checkMirror(options: MirrorOptions, named: OptionKinds): void {
  checkOptions(options, { ...mirrorKinds, ...named })
  for (const name of ['otherHosts', 'robots'] as const) {
    if (options[name] !== undefined && !options.pages)
      throw invalidOption(name, 'absent without `pages`', options[name])
  }
  for (const name of ['beforeFile', 'beforeName'] as const) {
    if (options[name] !== undefined && options.pages) throw invalidOption(name, 'absent with `pages`', options[name])
  }
}
