/** The package `warc`, which has no types: a parser of its own, for uncompressed archives. */
declare module 'warc' {
  import type { Transform } from 'node:stream'

  /** Gives `{ protocol, headers, content }` for each record. */
  export default function warc(): Transform
}
