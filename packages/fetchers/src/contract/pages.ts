/**
 * What a link of a page is for. `page`: a person may follow it. `requisite`: the page is shown with it (an image, a
 * style sheet). `form`: it is sent what a person types. `other`: it is only named, as by `cite`.
 */
export type LinkKind = 'page' | 'requisite' | 'form' | 'other'

/** A link of a page. */
export interface PageLink {
  readonly kind: LinkKind
  /** As the page means it: entities and escapes are decoded, blanks around it removed. Perhaps relative. */
  readonly url: string
  /** Where it stands in the value of its slot. */
  readonly start: number
  readonly end: number
  /** Whether the page asks programs not to follow it (`rel=nofollow`). */
  readonly isNofollow: boolean
}

/** A place in the source text of a page that has links: the value of an attribute, or a style sheet. */
export interface LinkSlot {
  /** Where it stands in the text, without its quotes. */
  readonly start: number
  readonly end: number
  /** The value with its entities decoded. */
  readonly value: string
  readonly links: readonly PageLink[]
  /** Whether the links are written by the rules of CSS, or as they are. */
  readonly isCss: boolean
  /** Whether the slot is an attribute of HTML, in which `&` begins an entity. */
  readonly isAttribute: boolean
}

/** The links of an HTML page or a style sheet. */
export interface PageLinks {
  /** In the order of the text. */
  readonly slots: readonly LinkSlot[]
  /** The first `base` of the page that has a URL, and its place. Null if there is none. */
  readonly base: LinkSlot | null
  /** The ids of the page's elements, and the names of its anchors. */
  readonly anchors: readonly string[]
  /** Whether it has more links than were asked for. */
  readonly hasMore: boolean
  /** Whether the page asks programs to follow none of its links (`<meta name=robots content=nofollow>`). */
  readonly isNofollow: boolean
}
