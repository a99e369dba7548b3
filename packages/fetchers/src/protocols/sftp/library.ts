import { optionalLibrary } from '../../kit/optional-library.ts'

/** A CommonJS package, as an ES module sees it. */
interface Ssh2 {
  readonly default: typeof import('ssh2')
}

/** Loads ssh2. Throws `no-fetcher` if it is not installed. */
export function loadSsh2(): Promise<Ssh2> {
  return optionalLibrary<Ssh2>('ssh2@1', (name) => import(/* @vite-ignore */ name))
}
