/** Whether octets, one a character, are UTF-8 (RFC 3629 4): whole, cut within a character, or never again. */
export function utf8End(octets: string): 'whole' | 'cut' | 'never' {
  let left = octets
  while (true) {
    left = left.replace(/^[\0-\x7F]+/, '')
    if (left === '') return 'whole'
    const [character] =
      /^(?:[\xC2-\xDF][\x80-\xBF]|\xE0[\xA0-\xBF][\x80-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}|\xED[\x80-\x9F][\x80-\xBF]|\xF0[\x90-\xBF][\x80-\xBF]{2}|[\xF1-\xF3][\x80-\xBF]{3}|\xF4[\x80-\x8F][\x80-\xBF]{2})/.exec(
        left,
      ) ?? []
    if (character === undefined) break
    left = left.slice(character.length)
  }
  const isBegun =
    /^(?:[\xC2-\xDF]|\xE0[\xA0-\xBF]?|[\xE1-\xEC\xEE\xEF][\x80-\xBF]?|\xED[\x80-\x9F]?|\xF0(?:[\x90-\xBF][\x80-\xBF]?)?|[\xF1-\xF3][\x80-\xBF]{0,2}|\xF4(?:[\x80-\x8F][\x80-\xBF]?)?)$/
  return isBegun.test(left) ? 'cut' : 'never'
}
