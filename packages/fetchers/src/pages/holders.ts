import type { LinkKind } from '../contract/pages.ts'

type Attributes = Readonly<Record<string, string>>

const backgrounds: Readonly<Record<string, LinkKind>> = { background: 'requisite' }
const cited: Readonly<Record<string, LinkKind>> = { cite: 'other' }

/** The attributes that hold URLs, by element. */
const holders: Readonly<Record<string, Readonly<Record<string, LinkKind>>>> = {
  a: { href: 'page' },
  area: { href: 'page' },
  link: { href: 'page' },
  base: { href: 'other' },
  script: { src: 'requisite' },
  iframe: { src: 'page' },
  frame: { src: 'page' },
  img: { src: 'requisite', srcset: 'requisite', longdesc: 'other' },
  // In SVG; `use` refers to another file's part.
  image: { href: 'requisite', 'xlink:href': 'requisite' },
  use: { href: 'requisite', 'xlink:href': 'requisite' },
  source: { src: 'requisite', srcset: 'requisite' },
  video: { src: 'requisite', poster: 'requisite' },
  audio: { src: 'requisite' },
  track: { src: 'requisite' },
  embed: { src: 'requisite' },
  object: { data: 'requisite' },
  input: { src: 'requisite', formaction: 'form' },
  button: { formaction: 'form' },
  form: { action: 'form' },
  ...{ body: backgrounds, table: backgrounds, tr: backgrounds, td: backgrounds, th: backgrounds },
  ...{ blockquote: cited, q: cited, ins: cited, del: cited },
}

/** The attributes of an element that hold URLs, and what the links are for. */
export function holdersOf(name: string, attributes: Attributes): readonly (readonly [string, LinkKind])[] {
  const found = Object.hasOwn(holders, name) ? Object.entries(holders[name] ?? {}) : []
  return name === 'link' ? found.map(([holder]) => [holder, kindOfRel(attributes.rel ?? '')]) : found
}

const requisites =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-\S*|mask-icon|manifest|preload|modulepreload|prefetch)(?:\s|$)/i
const named = /(?:^|\s)(?:dns-prefetch|preconnect|pingback)(?:\s|$)/i

function kindOfRel(rel: string): LinkKind {
  if (requisites.test(rel)) return 'requisite'
  return named.test(rel) ? 'other' : 'page'
}
