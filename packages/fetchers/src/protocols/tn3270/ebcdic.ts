/**
 * The characters of EBCDIC's code page 037 from 40 to FF, 32 a row. A no-break space becomes a blank, a soft hyphen a
 * hyphen, and the control FF a blank.
 */
const codePage037 = [
  '  âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬',
  '-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@\'="',
  'Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤',
  'µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×',
  '{ABCDEFGHI-ôöòóõ}JKLMNOPQR¹ûüùúÿ',
  '\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ ',
].join('')

/** Lines and corners of code page 310. An order GE or the character set APL chooses these graphics. */
const graphics: Readonly<Record<number, string>> = {
  133: '│',
  162: '─',
  196: '└',
  197: '┌',
  198: '├',
  199: '┴',
  211: '┼',
  212: '┘',
  213: '┐',
  214: '┤',
  215: '┬',
}

/** The two format controls that a terminal shows (GA23-0059 4.4): DUP and FM. */
const shownControls: Readonly<Record<number, string>> = { 28: '*', 30: ';' }

/**
 * Returns the character on a 3270's screen for an octet of its buffer: one UTF-16 unit. NUL and controls are blanks.
 */
export function characterOf(octet: number, isGraphic = false): string {
  if (isGraphic && octet >= 0x40) return graphics[octet] ?? (octet === 0x40 ? ' ' : '\uFFFD')
  return codePage037[octet - 0x40] ?? shownControls[octet] ?? ' '
}
