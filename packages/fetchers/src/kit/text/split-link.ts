/** Splits a link from its target at ` -> `. If the target's `length` is known, it decides between several arrows. */
export function splitLink(text: string, length?: number): readonly [name: string, target?: string] {
  const arrow = ' -> '
  const end = length === undefined ? -1 : text.length - length - arrow.length
  const at = end > 0 && text.startsWith(arrow, end) ? end : text.indexOf(arrow, 1)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + arrow.length)]
}
