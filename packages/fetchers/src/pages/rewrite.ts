import type { LinkSlot, PageLink, PageLinks } from '../contract/pages.ts'
import { sourceOffsets } from './source-offsets.ts'

/**
 * Returns the text of a page with other links. `replace` gives the new URL for a link, or null: it stays as it is
 * written. All else stays character for character. A base becomes `./`, since the new links are relative to the file.
 */
export function rewritten(text: string, page: PageLinks, replace: (link: PageLink) => string | null): string {
  const pieces: string[] = []
  let at = 0
  const base = page.base === null ? [] : [page.base]
  for (const slot of [...page.slots, ...base].sort((one, other) => one.start - other.start)) {
    // Broken markup may show one text twice.
    if (slot.start < at) continue
    const offsets = sourceOffsets(text.slice(slot.start, slot.end), slot.value)
    if (offsets === null) continue
    for (const link of slot.links) {
      const url = slot === page.base ? './' : replace(link)
      if (url === null || url === link.url) continue
      pieces.push(text.slice(at, slot.start + offsets(link.start)), written(url, slot))
      at = slot.start + offsets(link.end)
    }
  }
  return pieces.join('') + text.slice(at)
}

/** A URL that ends neither an attribute, whatever its quotes are, nor a string or a url() of CSS. */
function written(url: string, { isCss, isAttribute }: LinkSlot): string {
  const plain = url.replace(isCss ? /["'<>`\\\s()]/g : /["'<>`\\\s]/g, percent)
  return isAttribute ? plain.replaceAll('&', '&amp;') : plain
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}
