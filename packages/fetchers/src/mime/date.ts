/** RFC 5322 3.3, as far as news has it: `Sat, 03 Feb 2001 04:05:06 +0000 (UTC)`, `3 Feb 01 04:05 GMT`. */
const datePattern =
  /^\s*(?:[A-Za-z]{3},\s*)?(\d{1,2} [A-Za-z]{3} \d{2,4} \d{1,2}:\d\d(?::\d\d)? (?:[+-]\d{4}|[A-Z]{1,4}))\b/

/** When a message says that it was written; null where that is no date. */
export function messageDate(field: string): Date | null {
  // The pattern first: Date.parse alone takes nearly any text for a date.
  const [, text] = datePattern.exec(field.replace(/\s+/g, ' ')) ?? []
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : new Date(time)
}
