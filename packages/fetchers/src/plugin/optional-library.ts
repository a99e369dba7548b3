import { RetrievalError } from '@retriever/core'

/**
 * Loads a library that only one mechanism needs and that a program installs itself (an optional peer dependency).
 * Throws `no-fetcher` with the command that installs it if it is not there: `optionalLibrary('ldapts@8', () =>
 * import('ldapts'))`.
 */
export async function optionalLibrary<T>(nameAndVersion: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const [name = ''] = nameAndVersion.split(/(?<!^)@/)
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    const what = isAbsent
      ? 'is not installed'
      : `could not be loaded: ${cause instanceof Error ? cause.message : cause}`
    const message = `The package ${name} ${what}. To install it, run: npm install ${nameAndVersion}`
    throw new RetrievalError('no-fetcher', message, { phase: 'resolve', cause })
  }
}
