import type { RetrievalError } from '@retriever/core'
import { callback, checkOptions, flag, type OptionKind } from '../kit/options.ts'
import { type WalkOptions, walkKinds } from '../walk/walk-options.ts'

/** Options of Client.mirror: those of Client.walk, and these. */
export interface MirrorOptions extends WalkOptions {
  /** The number of files to retrieve at a time, and of listings, 1 to 16. Default 4. */
  readonly concurrency?: number
  /** False: begin files anew whose parts an interrupted run has left. Default true. */
  readonly resume?: boolean
  /**
   * True: in the end, delete the local files that the server no longer has. Nothing is deleted unless every listing was
   * complete, and the tree has entries. Default false.
   */
  readonly delete?: boolean
  /** True: write and delete nothing; the results tell what would be saved and deleted. Default false. */
  readonly dryRun?: boolean
  /** Gets each result as it comes. If it throws, the mirroring ends with that error. */
  readonly onResult?: (result: MirrorResult) => void
}

/** The outcome of one file. */
export type MirrorResult =
  | {
      readonly outcome: 'saved'
      /** As WalkedEntry.path. */
      readonly path: string
      readonly url: string
      /** The local file: the target folder, and the path with safe names. */
      readonly file: string
      /** The file's length in octets. */
      readonly size: number
      /** The octets that an earlier run had received already. */
      readonly resumedFrom: number
    }
  | {
      readonly outcome: 'skipped'
      readonly path: string
      readonly url: string
      /**
       * `unchanged`: the local file is complete and current. `repeated`: the listing names it twice. `outside`: it is
       * not within the option `scope`. `not-a-file`: it is a link, a search, a service or the like.
       */
      readonly reason: 'unchanged' | 'repeated' | 'outside' | 'not-a-file'
    }
  /** `path` is relative to the target folder. */
  | { readonly outcome: 'deleted'; readonly path: string; readonly file: string }
  /** A file that could not be retrieved or written, a folder that could not be listed or made. */
  | { readonly outcome: 'failed'; readonly path: string; readonly url: string; readonly error: RetrievalError }

/** The numbers of results by outcome, and what else a mirroring has come to. */
export interface MirrorSummary {
  readonly saved: number
  readonly skipped: number
  readonly deleted: number
  readonly failed: number
  /** The octets of the saved files that came in this run. */
  readonly received: number
  /** False: a listing was not complete, so the server may have more files, and nothing was deleted. */
  readonly isComplete: boolean
  /** The first 1000 failures. */
  readonly failures: readonly Extract<MirrorResult, { outcome: 'failed' }>[]
}

const mirrorKinds: Readonly<Record<keyof MirrorOptions, OptionKind>> = {
  ...walkKinds,
  resume: flag,
  delete: flag,
  dryRun: flag,
  onResult: callback,
}

/** Throws RetrievalError `invalid-option`. */
export function checkMirror(options: MirrorOptions): void {
  checkOptions(options, mirrorKinds)
}
