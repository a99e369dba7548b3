/**
 * C0, DEL and C1 controls, line separators, and the marks that reorder text: what could drive a terminal or
 * show something else than is there (security.md case 33). Line feed and TAB count as controls here.
 */
const controls = /[\0-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g

const names: Readonly<Record<string, string>> = { '\x1B': '\\e', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The text with its control characters made visible, harmless on a terminal and in a log: ESC becomes `\e`. */
export function printable(text: string): string {
  return text.replace(controls, (character) => names[character] ?? escaped(character.charCodeAt(0)))
}

function escaped(code: number): string {
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
