/** RFC 3986 5.2 to the letter, for comparison: no code, and no idea, is shared with the implementation. */

interface Parts {
  readonly scheme?: string
  readonly authority?: string
  readonly path: string
  readonly query?: string
  readonly fragment?: string
}

/** 5.2.2, "Transform References", strict; then 5.3, with the rule of 3.3 that no path may make an authority. */
export function transform(reference: string, base: string): string {
  const [r, b] = [parse(reference), parse(base)]
  const fragment = r.fragment === undefined ? {} : { fragment: r.fragment }
  if (r.scheme !== undefined) return reference
  const scheme = b.scheme === undefined ? {} : { scheme: b.scheme }
  const query = r.query === undefined ? {} : { query: r.query }
  if (r.authority !== undefined) {
    return compose({ ...scheme, authority: r.authority, path: removeDots(r.path), ...query, ...fragment })
  }
  const authority = b.authority === undefined ? {} : { authority: b.authority }
  if (r.path === '') {
    const kept = r.query === undefined && b.query !== undefined ? { query: b.query } : query
    return compose({ ...scheme, ...authority, path: b.path, ...kept, ...fragment })
  }
  const merged = r.path.startsWith('/') ? r.path : merge(b, r.path)
  return compose({ ...scheme, ...authority, path: removeDots(merged), ...query, ...fragment })
}

/** Read from the end, as the components nest. */
function parse(text: string): Parts {
  let rest = text
  const found: { -readonly [K in keyof Parts]?: string } = {}
  const hash = rest.indexOf('#')
  if (hash !== -1) {
    found.fragment = rest.slice(hash + 1)
    rest = rest.slice(0, hash)
  }
  const question = rest.indexOf('?')
  if (question !== -1) {
    found.query = rest.slice(question + 1)
    rest = rest.slice(0, question)
  }
  const colon = rest.indexOf(':')
  if (colon > 0 && /^[A-Za-z][A-Za-z0-9+.-]*$/.test(rest.slice(0, colon))) {
    found.scheme = rest.slice(0, colon)
    rest = rest.slice(colon + 1)
  }
  if (rest.startsWith('//')) {
    const end = rest.indexOf('/', 2)
    found.authority = end === -1 ? rest.slice(2) : rest.slice(2, end)
    rest = end === -1 ? '' : rest.slice(end)
  }
  return { ...found, path: rest }
}

/** 5.2.3. */
function merge(base: Parts, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`
  const slash = base.path.lastIndexOf('/')
  return slash === -1 ? path : base.path.slice(0, slash + 1) + path
}

/** 5.2.4, steps 2A to 2E. */
export function removeDots(path: string): string {
  let input = path
  let output = ''
  while (input !== '') {
    if (input.startsWith('../')) input = input.slice(3)
    else if (input.startsWith('./')) input = input.slice(2)
    else if (input.startsWith('/./')) input = input.slice(2)
    else if (input === '/.') input = '/'
    else if (input.startsWith('/../') || input === '/..') {
      input = `/${input.slice(4)}`
      output = output.slice(0, Math.max(0, output.lastIndexOf('/')))
    } else if (input === '.' || input === '..') input = ''
    else {
      const end = input.indexOf('/', 1)
      output += end === -1 ? input : input.slice(0, end)
      input = end === -1 ? '' : input.slice(end)
    }
  }
  return output
}

/** 5.3. */
function compose({ scheme, authority, path, query, fragment }: Parts): string {
  let result = scheme === undefined ? '' : `${scheme}:`
  if (authority !== undefined) result += `//${authority}`
  else if (path.startsWith('//')) result += '/.'
  result += path
  if (query !== undefined) result += `?${query}`
  return fragment === undefined ? result : `${result}#${fragment}`
}
