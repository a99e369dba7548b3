import { builtinSchemes } from '@retriever/core'

/**
 * Lists the schemes that are retrieved or open a session, for --version. bundle.mjs calls it, since the table of
 * schemes takes long to load. A test compares the list with the fetchers.
 */
export function retrievedSchemes(): string {
  const retrieved = builtinSchemes.filter(
    ({ hint, handoff, session }) => hint === undefined && (handoff !== true || session === true),
  )
  return retrieved
    .map(({ name }) => name)
    .sort()
    .join(' ')
}
