import { readFileSync } from 'node:fs'

/** An option of curl 7.88, the one of Debian 12. */
export interface CurlOption {
  readonly long: string
  readonly short: string | undefined
  readonly takesValue: boolean
}

/** All options of curl, in the order of `curl --help all`, from which curl-options.txt was made. */
export const curlOptions: readonly CurlOption[] = readFileSync(new URL('curl-options.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [, short, long = '', value] = /^(?:-(.), )?--([\w.-]+)( VALUE)?$/.exec(line) ?? []
    return { long, short, takesValue: value !== undefined }
  })
