import { type Mechanism, RetrievalError } from '@retriever/core'

/**
 * Loads a library that only one mechanism needs and that a program installs itself (an optional peer dependency).
 * Throws `no-fetcher` with the command that installs it if it is missing. `load` imports the name that it gets:
 * bundlers leave such an import alone, so a program can be bundled without the library. `optionalLibrary<typeof
 * import('ssh2')>('ssh2@1', (name) => import(name))`.
 */
export async function optionalLibrary<T>(nameAndVersion: string, load: (name: string) => Promise<T>): Promise<T> {
  const [name = ''] = nameAndVersion.split(/(?<!^)@/)
  try {
    return await load(name)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    const what = isAbsent
      ? 'is not installed'
      : `could not be loaded: ${cause instanceof Error ? cause.message : cause}`
    const message = `The package ${name} ${what}. To install it, run: npm install ${nameAndVersion}`
    throw new RetrievalError('no-fetcher', message, { phase: 'resolve', cause })
  }
}

/** The error for a bundle that lacks a module, or `require`. */
export function notLoaded(mechanism: Mechanism, cause: unknown): RetrievalError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const advice = 'If this program is a bundle, see "Bundling" in the guide of the library.'
  const message = `The fetcher for "${mechanism}" could not be loaded: ${reason}. ${advice}`
  return new RetrievalError('no-fetcher', message, { phase: 'resolve', cause })
}
