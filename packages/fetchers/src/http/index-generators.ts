/**
 * Who made a page, by its beginning, one octet a character; null for an ordinary page, undefined where more of it must
 * come before it can be told.
 */
export type Recognise = (beginning: string, isAll: boolean) => string | null | undefined

/** A page without a title by then is none of theirs. */
const titleWithin = 1024

interface Generator {
  readonly name: string
  /** Of the page up to `</title>`, which alone proves nothing: people call their pages "Index of" too. */
  readonly head: RegExp
  /**
   * What all must stand in the page. Each is run over the beginning alone, so that none of them need be linear in the
   * page.
   */
  readonly marks: readonly RegExp[]
  /** Octets in which the marks are. */
  readonly within: number
}

const generators: readonly Generator[] = [
  {
    name: 'nginx',
    head: /^<html>\r?\n<head><title>Index of \//,
    marks: [/<h1>Index of \/[^<]*<\/h1><hr><pre><a href="\.\.\/">\.\.\/<\/a>\r?\n/],
    within: 4096,
  },
  {
    // All its versions name the DTD of HTML 3.2, 4.01 or XHTML 1.0. A HEADER.html takes the place of the heading, but
    // not of the links that sort; IndexOptions may do without those.
    name: 'Apache',
    head: /^<!DOCTYPE html PUBLIC "-\/\/W3C\/\/DTD [^>]*>\s*<html[^>]*>\s*<head>\s*<title>Index of \//i,
    marks: [/<a href="\?C=[NMSD];O=[AD]">|<h1>Index of \/[^<]*<\/h1>\s*<(?:ul><li>|ul>\s*<\/ul>|pre>|table[ >])/],
    within: 4096,
  },
  {
    name: 'lighttpd',
    head: /<title>Index of \//,
    marks: [/<div class="list">\s*<table summary="Directory Listing" /],
    within: 8192,
  },
  {
    // Its style sheet is 5 to 9 KiB and stands in the page.
    name: 'Caddy',
    head: /^<!DOCTYPE html>\s*<html>\s*<head>\s*<title>/,
    marks: [/text-rendering: optimizespeed;/, /<body onload=['"]init(?:Filter|Page)\(\)['"]>/],
    within: 16_384,
  },
  {
    name: '@retriever/servers',
    head: /^<!DOCTYPE html>\n<meta name="generator" content="@retriever\/servers">\n<title>Index of \//,
    marks: [/<ul>\n/],
    within: 4096,
  },
  {
    name: 'Python',
    head: /<title>Directory listing for \//,
    marks: [/<h1>Directory listing for \/[^<]*<\/h1>\s*<hr>\s*<ul>/],
    within: 4096,
  },
]

/** Of an HTML page. */
export const generatorOf: Recognise = (beginning, isAll) => {
  const title = beginning.indexOf('</title>')
  if (title === -1 || title > titleWithin) return isAll || beginning.length > titleWithin ? null : undefined
  const possible = generators.filter(({ head }) => head.test(beginning.slice(0, title)))
  const found = possible.find(({ marks, within }) => {
    const start = beginning.slice(0, within)
    return marks.every((mark) => mark.test(start))
  })
  if (found !== undefined) return found.name
  return !isAll && possible.some(({ within }) => beginning.length < within) ? undefined : null
}

const jsonMarks: readonly (readonly [name: string, mark: RegExp])[] = [
  ['nginx', /^\[\r?\n\{ "name":"(?:[^"\\]|\\.)*", "type":"[a-z]+", "mtime":"/s],
  ['Caddy', /^\[\{"name":"(?:[^"\\]|\\.)*","size":\d+,"url":"(?:[^"\\]|\\.)*","mod_time":"/s],
]

/** Of a JSON document. An empty one says nothing of who made it. */
export const jsonGeneratorOf: Recognise = (beginning, isAll) => {
  const found = jsonMarks.find(([, mark]) => mark.test(beginning.slice(0, 4096)))
  if (found !== undefined) return found[0]
  return isAll || beginning.length >= 4096 || !/^\[(?:\r?\n)?(?:\{|$)/.test(beginning) ? null : undefined
}
