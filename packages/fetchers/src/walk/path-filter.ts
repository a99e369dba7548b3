import { callback, type OptionKind } from '../kit/options.ts'

/**
 * A glob pattern (`**` crosses folders, `*` and `?` do not, `{a,b}`, `[a-z]`), a regular expression, or a function that
 * gets the path and whether it is a folder. A glob without `/` is compared with the last name of the path, as in
 * .gitignore. A glob that ends in `/` means a folder and everything below it.
 */
export type PathPattern = string | RegExp | ((path: string, isFolder: boolean) => boolean)

/** Decides which paths of a tree are wanted. */
export interface PathFilter {
  isIncluded(path: string, isFolder: boolean): boolean
  isExcluded(path: string, isFolder: boolean): boolean
}

type Patterns = PathPattern | readonly PathPattern[] | undefined
type Test = (path: string, isFolder: boolean) => boolean

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
    isIncluded: (path, isFolder) => include === undefined || wanted.some((fits) => fits(path, isFolder)),
    isExcluded: (path, isFolder) => unwanted.some((fits) => fits(path, isFolder)),
  }
}

async function testsOf(patterns: Patterns = []): Promise<Test[]> {
  return Promise.all([patterns].flat().map(testOf))
}

async function testOf(pattern: PathPattern): Promise<Test> {
  if (typeof pattern === 'function') return pattern
  // test() would not do: with the flag g or y, it continues where the last match ended.
  if (typeof pattern !== 'string') return (path) => path.search(pattern) !== -1
  const { default: picomatch } = await import('picomatch')
  const isTree = pattern.endsWith('/')
  const glob = isTree ? pattern.slice(0, -1) : pattern
  const fits = picomatch(glob.startsWith('/') ? glob.slice(1) : glob, { basename: !glob.includes('/'), dot: true })
  if (!isTree) return (path) => fits(path)
  return (path, isFolder) => (isFolder && fits(path)) || foldersAbove(path).some((folder) => fits(folder))
}

/** Returns the folders above a path: `a` and `a/b` for `a/b/c`. */
function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}
