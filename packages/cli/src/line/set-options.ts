import type { RetrieveOptions } from '@retriever/fetchers'
import { type OptionName, options } from '../options/index.ts'
import type { GivenOptions } from '../options/option.ts'

/** The options of a retrieval that options of the command set by themselves. Throws `invalid-option`. */
export function readSet(line: GivenOptions<OptionName>): RetrieveOptions {
  const request: Record<string, unknown> = {}
  for (const { long, sets: [path] = [], read } of options) {
    if (path === undefined || read === undefined || !line.has(long)) continue
    const [name = '', member] = path.split('.')
    const value = read(line.values(long))
    // sets() has checked the types.
    request[name] = member === undefined ? value : { ...Object(request[name]), [member]: value }
  }
  return request
}
