import type { Head } from './connection.ts'

/** How long a connection may lie idle if the server says nothing of it. undici has the same time. */
const usual = 4000
/** A server may end a connection while a request is on its way, so it is given up so long before. */
const margin = 2000
const longest = 600_000

/** For how many milliseconds a connection may lie idle after an answer; 0: the server closes it (RFC 9112 9.3). */
export function idleMilliseconds({ version, fields }: Head): number {
  let staysOpen = version === 'HTTP/1.1'
  let isClosed = false
  let seconds: string | undefined
  for (const [name, value] of fields) {
    // Nearly all other names have other lengths.
    if (name.length !== 10 && name.length !== 16) continue
    const field = name.toLowerCase()
    if (field === 'keep-alive') seconds ??= /timeout=\s*(\d+)/.exec(value)?.[1]
    else if (field === 'connection' || field === 'proxy-connection') {
      const options = value.toLowerCase().split(',')
      for (const option of options) {
        if (option.trim() === 'close') isClosed = true
        else if (option.trim() === 'keep-alive') staysOpen = true
      }
    }
  }
  if (isClosed || !staysOpen) return 0
  return seconds === undefined ? usual : Math.max(0, Math.min(Number(seconds) * 1000 - margin, longest))
}
