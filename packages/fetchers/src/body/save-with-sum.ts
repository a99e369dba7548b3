import type { SaveOptions, WholePart } from '../saving/save-options.ts'
import type { Representation, SavedFile } from './representation.ts'

/** Saves a body, and gives `beforeName` its SHA-256. */
export function saveWithSum(
  representation: Representation,
  path: string,
  { beforeName, ...options }: SaveOptions,
): Promise<SavedFile> {
  if (beforeName === undefined) return representation.saveTo(path, options)
  const hash = representation.hash('sha256')
  const withSum = (whole: WholePart): Promise<void> | void => beforeName({ ...whole, sha256: hash.hex() })
  return representation.saveTo(path, { ...options, beforeName: withSum })
}
