/** A book of the catalogue. */
export interface Book {
  /** The document id of the book. */
  readonly id: string
  readonly title: string
  readonly author: string
  readonly year: string
  readonly subject: string
  /** The shelf and the call number, which OPAC records have. */
  readonly shelf: string
}

/** The books by database. Two books of `doubles` have the same document id. */
export const catalogue: Readonly<Record<string, readonly Book[]>> = {
  books: [
    {
      id: 'b1',
      title: 'How to program a computer',
      author: 'Collins, Jack',
      year: '1987',
      subject: 'Computers',
      shelf: 'QA76 .C65',
    },
    {
      id: 'b2',
      title: 'Les misérables',
      author: 'Hugo, Victor',
      year: '1862',
      subject: 'Fiction',
      shelf: 'PQ2286 .A1',
    },
    {
      id: 'elecworld.v30.n19',
      title: 'Water and <electricity> & more',
      author: 'Maxwell, J.',
      year: '1990',
      subject: 'Physics',
      shelf: 'QC518 .M3',
    },
  ],
  doubles: [
    { id: 'twice', title: 'One', author: 'A', year: '1', subject: 'S', shelf: '-' },
    { id: 'twice', title: 'Another', author: 'B', year: '2', subject: 'S', shelf: '-' },
  ],
  /** Many records, for lists that take several requests. */
  many: Array.from({ length: 250 }, (_, at) => ({
    id: `m${at + 1}`,
    title: `Volume ${at + 1}`,
    author: 'Various',
    year: String(1700 + at),
    subject: 'Series',
    shelf: `S ${at + 1}`,
  })),
  empty: [],
}

/** The record in MARC 21 (ISO 2709), in UTF-8. */
export function marcOf(book: Book): Buffer {
  const fields: readonly (readonly [tag: string, data: string])[] = [
    ['001', book.id],
    ['100', `1 \x1fa${book.author}`],
    ['245', `10\x1fa${book.title}`],
    ['260', `  \x1fc${book.year}`],
    ['650', ` 0\x1fa${book.subject}`],
    ['852', `  \x1fh${book.shelf}`],
  ]
  let directory = ''
  let data = Buffer.alloc(0)
  for (const [tag, content] of fields) {
    const octets = Buffer.from(`${content}\x1e`)
    directory += `${tag}${String(octets.length).padStart(4, '0')}${String(data.length).padStart(5, '0')}`
    data = Buffer.concat([data, octets])
  }
  const base = 24 + directory.length + 1
  const total = base + data.length + 1
  const leader = `${String(total).padStart(5, '0')}nam a22${String(base).padStart(5, '0')} a 4500`
  return Buffer.concat([Buffer.from(`${leader}${directory}\x1e`), data, Buffer.from('\x1d')])
}

export function textOf({ title, author, year }: Book): string {
  return `${title}\nby ${author}, ${year}\n`
}

export function xmlOf({ id, title, author, year }: Book): string {
  const escaped = (value: string): string => value.replace(/&/g, '&amp;').replace(/</g, '&lt;')
  const fields = { identifier: id, title, creator: author, date: year }
  const lines = Object.entries(fields).map(([name, value]) => `  <dc:${name}>${escaped(value)}</dc:${name}>\n`)
  return `<record xmlns:dc="http://purl.org/dc/elements/1.1/">\n${lines.join('')}</record>\n`
}
