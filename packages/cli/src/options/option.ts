import type { CommandName } from '../commands/index.ts'

/** What can be typed, in a table of its category. */
export interface OptionRow<Name extends string = string> {
  readonly long: Name
  readonly short?: string
  /** What its argument is; without one it is a switch. */
  readonly arg?: string
  readonly help: string
  /** Those it belongs to; absent: all. */
  readonly commands?: readonly CommandName[]
  readonly example: string
}

export const get: readonly CommandName[] = ['get']
export const network: readonly CommandName[] = ['get', 'ls']
export const urls: readonly CommandName[] = ['get', 'ls', 'explain']
