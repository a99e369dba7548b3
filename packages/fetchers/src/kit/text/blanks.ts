/** Removes blanks around the text. trim() would also remove the octet A0, which may end a UTF-8 character. */
export function trimBlanks(octets: string): string {
  let [start, end] = [0, octets.length]
  while (start < end && isBlank(octets.charCodeAt(start))) start++
  while (end > start && isBlank(octets.charCodeAt(end - 1))) end--
  return octets.slice(start, end)
}

function isBlank(octet: number): boolean {
  return octet === 0x20 || (octet >= 0x09 && octet <= 0x0d)
}
