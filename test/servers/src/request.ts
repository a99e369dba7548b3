/** One request or command as received. Strings hold one char an octet. */
export interface RecordedRequest {
  /** HTTP: the method. FTP, NNTP, your own protocols: the line's first word in capitals. Gopher, Telnet: empty. */
  readonly method: string
  /** HTTP: the request-target. FTP, NNTP, your own: the rest of the line. Gopher: the selector. Telnet: the line. */
  readonly target: string
  /** HTTP: header fields by lower-case name; fields of the same name are joined by `, `. Otherwise empty. */
  readonly headers: Readonly<Record<string, string>>
  /** HTTP: as much of the content as has come. Otherwise empty. */
  readonly body: Uint8Array
  /** The line as `received` has it. */
  readonly line: string
  readonly time: Date
  /** The number of the connection, from 1. Requests with equal numbers came over the same connection. */
  readonly connection: number
}

const EMPTY = new Uint8Array(0)
const NO_HEADERS: Readonly<Record<string, string>> = {}

export function recorded(
  connection: { readonly number: number },
  facts: Pick<RecordedRequest, 'line' | 'method' | 'target'> & Partial<RecordedRequest>,
): RecordedRequest {
  return { headers: NO_HEADERS, body: EMPTY, time: new Date(), connection: connection.number, ...facts }
}

/** Splits `RETR x.txt` into RETR and x.txt. */
export function commandLine(line: string): Pick<RecordedRequest, 'line' | 'method' | 'target'> {
  const blank = line.search(/[ \t]/)
  const end = blank === -1 ? line.length : blank
  return { line, method: line.slice(0, end).toUpperCase(), target: line.slice(end + 1) }
}
