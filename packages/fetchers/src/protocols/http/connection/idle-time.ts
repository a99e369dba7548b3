import type { Head } from './connection.ts'

/** How long a connection may lie idle if the server says nothing of it. undici has the same time. */
const usual = 4000
/** A server may end a connection while a request is on its way, so it is given up so long before. */
const margin = 2000
const longest = 600_000

/** For how many milliseconds a connection may lie idle after an answer; 0: the server closes it (RFC 9112 9.3). */
export function idleMilliseconds({ version, named }: Head): number {
  const { connection = '', 'proxy-connection': proxy = '', 'keep-alive': parameters } = named
  const options = `${connection},${proxy}`.toLowerCase().split(',')
  const has = (wanted: string): boolean => options.some((option) => option.trim() === wanted)
  if (has('close') || (version !== 'HTTP/1.1' && !has('keep-alive'))) return 0
  const seconds = parameters === undefined ? undefined : /timeout=\s*(\d+)/.exec(parameters)?.[1]
  return seconds === undefined ? usual : Math.max(0, Math.min(Number(seconds) * 1000 - margin, longest))
}
