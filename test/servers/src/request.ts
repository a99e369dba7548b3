/** One request or command, as it came. Strings hold one char an octet. */
export interface RecordedRequest {
  /** HTTP: the method. FTP, NNTP, protocols of your own: the line's first word in capitals. Gopher, Telnet: empty. */
  readonly method: string
  /** HTTP: the request-target. FTP, NNTP, your own: the rest of the line. Gopher: the selector. Telnet: the line. */
  readonly target: string
  /** HTTP: the header fields by their names in lower case, those of one name joined by `, `. Otherwise empty. */
  readonly headers: Readonly<Record<string, string>>
  /** HTTP: the content, as far as it has come. Otherwise empty. */
  readonly body: Uint8Array
  /** The line that `received` has. */
  readonly line: string
  readonly time: Date
  /** The number of its connection, from 1: equal numbers came over one connection. */
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

/** `RETR x.txt` -> RETR and x.txt. */
export function commandLine(line: string): Pick<RecordedRequest, 'line' | 'method' | 'target'> {
  const blank = line.search(/[ \t]/)
  const end = blank === -1 ? line.length : blank
  return { line, method: line.slice(0, end).toUpperCase(), target: line.slice(end + 1) }
}
