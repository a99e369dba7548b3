export type { LinkKind, LinkSlot, PageLink, PageLinks } from '../contract/pages.ts'
export { readCss } from './css.ts'
export { readHtml } from './html.ts'
export { rewritten } from './rewrite.ts'
