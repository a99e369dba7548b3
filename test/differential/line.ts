import type { DifferenceName } from './differences.ts'

/**
 * A line of bash whose `curl` is one program or the other; with a name, the difference from curl that it shows. The
 * variables are those of servers.ts.
 */
export type Line = string | readonly [line: string, differs: DifferenceName]
