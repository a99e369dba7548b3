/** The objects that --json writes, by their kind. */
type Json = Readonly<Record<string, unknown>>

function linesOf(text: string): Json[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line): Json => JSON.parse(line))
}

/** The objects that tell of one URL each: docs/json.md. */
export function results(text: string): Json[] {
  return linesOf(text).filter((line) => 'outcome' in line)
}

/** The messages: notices, warnings, errors and events. */
export function messages(text: string): Json[] {
  return linesOf(text).filter((line) => !('outcome' in line))
}
