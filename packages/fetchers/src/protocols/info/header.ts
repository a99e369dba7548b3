/** The first line of a node: `File: find.info,  Node: File names,  Next: Contents,  Prev: Top,  Up: Top`. */
export interface NodeHeader {
  readonly node: string
  /** The names of the neighbours; `(dir)` is the list of all files. */
  readonly next?: string
  readonly previous?: string
  readonly up?: string
}

/** Reads the header of a node. Returns null if the text begins with another line. */
export function nodeHeader(text: string): NodeHeader | null {
  const line = text.slice(0, text.indexOf('\n')).slice(0, 2000)
  if (!/^File: /.test(line)) return null
  const value = (name: string): string | undefined => {
    const at = line.indexOf(`${name}: `)
    if (at === -1) return undefined
    // Info puts DEL around a name with a comma.
    const [, quoted, plain] =
      /^(?:\x7F([^\x7F]*)\x7F|([^,\t]*))/.exec(line.slice(at + name.length + 2).trimStart()) ?? []
    return (quoted ?? plain)?.trim() || undefined
  }
  const node = value('Node')
  if (node === undefined) return null
  const [next, previous, up] = [value('Next'), value('Prev'), value('Up')]
  return { node, ...(next && { next }), ...(previous && { previous }), ...(up && { up }) }
}
