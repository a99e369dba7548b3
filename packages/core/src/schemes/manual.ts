import { type Finding, finding } from '../finding.ts'
import type { GhelpPlan, InfoPlan, ManPlan, TocPlan, WhatisPlan } from '../plan.ts'
import { type Inspection, type Place, type Scheme, variant } from '../scheme.ts'
import type { Locator, Part } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/**
 * The documentation schemes of uri(7). A local program answers each, so a name is dangerous if the program would read
 * it as an option.
 */
const local = {
  defaultPort: null,
  tls: 'none',
  host: 'none',
  userinfo: 'forbidden',
  query: false,
  lineParts: ['urlPath'],
  inspect: optionInjection,
} as const satisfies Partial<Scheme>

/** `man:ls`, `man:ls(1)`. KDE writes `man:/ls`, and `man:(index)` for the list of all pages. */
export const man: Scheme = /* @__PURE__ */ variant(local, {
  name: 'man',
  title: 'Manual page',
  spec: 'uri(7)',
  mechanism: 'man',
  resolve: manPlan,
})

function manPlan({ urlPath }: Locator, place: Place): ManPlan {
  const text = decodeOctets(urlPath ?? '').replace(/^\//, '')
  if (text === '(index)' || text === '') return { mechanism: 'man', page: null, section: null, wire: [] }
  const [, page = '', section = null] = /^([^()]*)(?:\(([^()]*)\))?$/s.exec(text) ?? []
  // Slashes and climbing dots are refused, since a path would make man read any file (threats.md case 7).
  if (!/^-?[A-Za-z0-9_.[][\w.:+@[\]-]*$/.test(page))
    place.fail('this is no name of a manual page, as in man:ls(1)', 'urlPath')
  if (section !== null && !/^[0-9nlp]\w*$/.test(section)) {
    place.fail('a section begins with a digit, n, l or p, as in man:ls(1)', 'urlPath')
  }
  return { mechanism: 'man', page, section, wire: [] }
}

/** GNOME writes `info:gcc#G++_and_GCC`, with `_` for a blank; KDE writes `info:(gcc)G++ and GCC`. */
export const info: Scheme = /* @__PURE__ */ variant(local, {
  name: 'info',
  title: 'Info page',
  spec: 'uri(7)',
  mechanism: 'info',
  lineParts: ['urlPath', 'fragment'],
  resolve: infoPlan,
})

function infoPlan({ urlPath, fragment }: Locator, place: Place): InfoPlan {
  const text = decodeOctets(urlPath ?? '')
  const kde = /^\(([^()]*)\)(.*)$/s.exec(text)
  const file = kde?.[1] ?? text
  // The name of an Info file contains no slash; `info:lccn/2002022641` belongs to the other info: of RFC 4452. Only
  // harmless characters are allowed, since the program info hands the name of a compressed file to a shell (threats.md
  // case 7).
  if (!/^[\w+@:=,\x80-\xFF-][\w.+@:=,\x80-\xFF-]*$/.test(file)) {
    place.fail('this is no name of an Info file, as in info:gcc or info:(gcc)Node', 'urlPath')
  }
  const node = kde?.[2] || (fragment === null ? '' : decodeOctets(fragment))
  // Info skips blanks and reads `(path)Node` as a node of another file, so the node could name any path, and give words
  // to a shell.
  if (/^[\s_]*\(/.test(node)) {
    place.fail('a node with a parenthesis at its beginning would name another file', kde?.[2] ? 'urlPath' : 'fragment')
  }
  // uri(7) hopes that all tools will read underscores as blanks, so this one does.
  const spaced = node === '' ? 'Top' : node.replaceAll('_', ' ')
  return { mechanism: 'info', file, node: spaced, ...(node.includes('_') && { literalNode: node }), wire: [] }
}

/** `whatis:string`: descriptions that contain the whole word. */
export const whatis: Scheme = /* @__PURE__ */ variant(local, {
  name: 'whatis',
  title: 'Search in the descriptions of manual pages',
  spec: 'uri(7)',
  mechanism: 'whatis',
  resolve: whatisPlan,
})

function whatisPlan({ urlPath }: Locator, place: Place): WhatisPlan {
  const query = decodeOctets(urlPath ?? '').replace(/^\//, '')
  if (query === '') place.fail('a word must follow, as in whatis:copy', 'urlPath')
  return { mechanism: 'whatis', query, wire: [] }
}

/** `ghelp:gnumeric`; one of its pages follows `?` or `#`. */
export const ghelp: Scheme = /* @__PURE__ */ variant(local, {
  name: 'ghelp',
  title: 'GNOME help',
  spec: 'uri(7)',
  mechanism: 'ghelp',
  query: true,
  lineParts: ['urlPath', 'query', 'fragment'],
  resolve: ghelpPlan,
})

function ghelpPlan({ urlPath, query, fragment }: Locator, place: Place): GhelpPlan {
  const document = decodeOctets(urlPath ?? '')
  if (document === '' || document.includes('..'))
    place.fail('an application must follow, as in ghelp:gnumeric', 'urlPath')
  const page = query ?? fragment
  return { mechanism: 'ghelp', service: 'ghelp', document, page: page === null ? null : decodeOctets(page), wire: [] }
}

/** `help:gnumeric`, `help:gnumeric/page#section`: the successor of ghelp, for Mallard documents. */
export const help: Scheme = /* @__PURE__ */ variant(local, {
  name: 'help',
  title: 'GNOME help, by document and page',
  spec: 'uri(7)',
  mechanism: 'ghelp',
  query: true,
  lineParts: ['urlPath', 'query', 'fragment'],
  resolve: helpPlan,
})

function helpPlan({ urlPath, query }: Locator, place: Place): GhelpPlan {
  const text = decodeOctets(urlPath ?? '')
  const slash = text.indexOf('/')
  const document = slash === -1 ? text : text.slice(0, slash)
  const page = (slash === -1 ? '' : text.slice(slash + 1)) || (query === null ? '' : decodeOctets(query))
  if (document === '' || text.includes('..')) place.fail('a document must follow, as in help:gnome-help', 'urlPath')
  return { mechanism: 'ghelp', service: 'help', document, page: page || null, wire: [] }
}

/**
 * `toc:`: the start page of the GNOME help browser. `toc:man` lists manual pages, as `man:` does, and `toc:info` lists
 * Info documents, as `info:dir` does.
 */
export const toc: Scheme = /* @__PURE__ */ variant(local, {
  name: 'toc',
  title: 'Table of contents of the GNOME help browser',
  spec: 'uri(7)',
  mechanism: 'toc',
  resolve: tocPlan,
})

function tocPlan({ urlPath }: Locator): TocPlan | ManPlan | InfoPlan {
  const start = decodeOctets(urlPath ?? '')
  if (start === 'man') return { mechanism: 'man', page: null, section: null, wire: [] }
  if (start === 'info') return { mechanism: 'info', file: 'dir', node: 'Top', wire: [] }
  return { mechanism: 'toc', service: 'toc', start, wire: [] }
}

/** The fields that become words of the program's command line, each with the text that stands before it in the URL. */
const givenWords: ReadonlyArray<readonly [field: string, part: Part, before: RegExp]> = [
  ['page', 'urlPath', /^(?:\/|%2F)?/i],
  ['file', 'urlPath', /^(?:\(|%28)?/i],
  ['node', 'urlPath', /^(?:\(|%28).*?(?:\)|%29)/i],
  ['node', 'fragment', /^/],
  ['query', 'urlPath', /^(?:\/|%2F)?/i],
  ['document', 'urlPath', /^/],
  ['page', 'query', /^/],
  ['page', 'fragment', /^/],
  ['start', 'urlPath', /^/],
]

/** The finding for a name that begins with a hyphen: the program would read the name as an option. */
function optionInjection({ plan, written, span }: Inspection): Finding[] {
  const fields: Readonly<Record<string, unknown>> = { ...plan }
  return givenWords.flatMap(([field, part, before]) => {
    if (!/^-/.test(String(fields[field] ?? ''))) return []
    const text = written(part)
    const at = before.exec(text)?.[0].length ?? -1
    if (at === -1 || !/^(?:-|%2D)/i.test(text.slice(at))) return []
    const [start, end] = span(part)
    const message = 'A local program would read the name as an option.'
    return [finding('option-injection', message, [start + at, end], 'uri(7) Security')]
  })
}
