import { octetsToText } from '@retriever/core'

/**
 * Removes the emphasis from text that a program wrote for a terminal or a printer: overstrikes (`X BS X` is bold, `_ BS
 * X` underlined), colours, and the links of groff 1.23 (OSC 8). Every line ends in LF, the last one too.
 */
export function plainText(output: Buffer): string {
  const text = octetsToText(output.toString('latin1'))
    .replace(/\x1B\[[\d;]*m/g, '')
    .replace(/\x1B\]8;[^\x07\x1B]*(?:\x07|\x1B\\)/g, '')
    // Info's own marks for images and indices: NUL BS [index NUL BS ].
    .replace(/\0\x08\[[^\0]*\0\x08\]/g, '')
    .replace(/[^\n]\x08/gu, '')
    .replace(/\r\n/g, '\n')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
