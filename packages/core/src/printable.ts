/**
 * Characters that could control a terminal or disguise a text (threats.md case 33): C0, DEL and C1 controls (line feed
 * and TAB count here), line separators, marks that reorder text, and invisible characters such as zero-width spaces,
 * the byte order mark and tag characters, which can hide one text within another. The joiners U+200C and U+200D are
 * allowed, since Persian, Indian scripts and emoji need them.
 */
const controls =
  /[\0-\x1F\x7F-\x9F\u061C\u180E\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|\uDB40[\uDC00-\uDC7F]/g

const names: Readonly<Record<string, string>> = { '\x1B': '\\e', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Makes control and invisible characters visible, so that the text is harmless on a terminal and in a log: ESC becomes
 * `\e`.
 */
export function printable(text: string): string {
  return replaceControls(text, visible)
}

/** Replaces control and invisible characters by another form, such as JSON's escapes. */
export function replaceControls(text: string, form: (character: string) => string): string {
  return text.replace(controls, (character) => form(character))
}

function visible(character: string): string {
  return names[character] ?? escaped(character.codePointAt(0) ?? 0)
}

function escaped(code: number): string {
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x1_0000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}
