/**
 * `@retriever/fetchers/trees` lists whole trees and brings them to disk, by a client of `@retriever/fetchers/client`,
 * which has no code for them itself. See docs/library.md.
 */
export {
  type ClientMirrorOptions as MirrorOptions,
  type ClientWalkOptions as WalkOptions,
  mirror,
  walk,
} from './client/trees.ts'
export type { MirrorResult, MirrorSummary } from './mirror/mirror-options.ts'
export type { PathPattern } from './walk/path-filter.ts'
export type { WalkedEntry } from './walk/walked-entry.ts'
