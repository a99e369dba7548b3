import type { OptionKind } from '../plugin/options.ts'
import { callback } from '../plugin/options.ts'

/**
 * A glob pattern (`**` crosses folders, `*` and `?` do not, `{a,b}`, `[a-z]`), a regular expression, or a function of
 * the path. A glob without `/` is compared with the last name of the path, as in .gitignore.
 */
export type PathPattern = string | RegExp | ((path: string) => boolean)

/** Decides which paths of a tree are wanted. */
export interface PathFilter {
  isIncluded(path: string): boolean
  isExcluded(path: string): boolean
}

type Patterns = PathPattern | readonly PathPattern[] | undefined
type Test = (path: string) => boolean

export const pathPatterns: OptionKind = [
  'a pattern (a string of 1 to 1000 characters, a RegExp or a function) or an array of patterns',
  (value) => (Array.isArray(value) ? value.every(isPattern) : isPattern(value)),
]

function isPattern(value: unknown): boolean {
  return (
    (typeof value === 'string' && value !== '' && value.length <= 1000) || value instanceof RegExp || callback[1](value)
  )
}

export async function readFilter(include: Patterns, exclude: Patterns): Promise<PathFilter> {
  const [wanted, unwanted] = [await testsOf(include), await testsOf(exclude)]
  return {
    isIncluded: (path) => include === undefined || wanted.some((fits) => fits(path)),
    isExcluded: (path) => unwanted.some((fits) => fits(path)),
  }
}

async function testsOf(patterns: Patterns = []): Promise<Test[]> {
  return Promise.all([patterns].flat().map(testOf))
}

async function testOf(pattern: PathPattern): Promise<Test> {
  if (typeof pattern === 'function') return pattern
  // test() of an expression with the flag g or y goes on where the last one ended.
  if (typeof pattern !== 'string') return (path) => path.search(pattern) !== -1
  const { default: picomatch } = await import('picomatch')
  const glob = pattern.endsWith('/') ? pattern.slice(0, -1) : pattern
  return picomatch(glob.startsWith('/') ? glob.slice(1) : glob, { basename: !glob.includes('/'), dot: true })
}
