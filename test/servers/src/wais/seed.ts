export interface SeedDocument {
  readonly path: string
  readonly headline: string
  /** The types in which the server has the document, with the octets of each. Searches read the first one. */
  readonly types: Readonly<Record<string, Buffer>>
}

const text = (content: string): Readonly<Record<string, Buffer>> => ({ TEXT: Buffer.from(content, 'latin1') })

const poem = 'The dove flew out, and found no rest.\nThe raven went to and fro.\n'

/** The documents of the databases, in the order in which a search finds them. */
export const databases: Readonly<Record<string, readonly SeedDocument[]>> = {
  demo: [
    { path: '/docs/ark.txt', headline: 'ark.txt   /docs/', types: text(`Of the ark.\n${poem}`) },
    // Real servers mark paragraphs, and the words that were searched for.
    {
      path: '/docs/marked.txt',
      headline: 'marked \x1b(ark\x1b)',
      types: text('\x1babcdThe \x1b(ark\x1b) is marked.\n'),
    },
    { path: '/docs/caf\xe9.txt', headline: 'caf\xe9', types: text('An ark in caf\xe9s: 100% =;/?#\r\n') },
    {
      path: '/docs/picture',
      headline: 'A picture of an ark',
      types: {
        GIF: Buffer.concat([Buffer.from('GIF89a ark \x1b(', 'latin1'), Buffer.alloc(25_000, 'pixel')]),
        TEXT: Buffer.from('It shows an ark.\n'),
      },
    },
    { path: '/docs/page.html', headline: 'http://www.example.org/ark', types: { URL: Buffer.from('<p>ark</p>\n') } },
    {
      path: '/docs/long.txt',
      headline: 'long.txt',
      types: text(Array.from({ length: 1000 }, (_, at) => `Line ${at} of a long text.\n`).join('')),
    },
    { path: '/docs/empty.txt', headline: 'empty ark', types: text('') },
  ],
  // This database has no description.
  plain: [{ path: '/docs/plain.txt', headline: 'plain.txt', types: text('A plain ark.\n') }],
}

/** A database's own documents, by the ends of their names: its source description (type WSRC) and its catalogue. */
export function ownDocuments(database: string): readonly SeedDocument[] {
  if (database === 'plain') return []
  const lines = (databases[database] ?? []).map(({ headline }) => `Headline: ${headline}\n`)
  const source = `(:source\n   :version  3\n   :tcp-port 210\n   :database-name "${database}"\n   :description "The test server's documents."\n)\n`
  return [
    {
      path: `/idx/${database}.src`,
      headline: `Information on database: ${database}`,
      types: { WSRC: Buffer.from(source) },
    },
    {
      path: `/idx/${database}.cat`,
      headline: `Catalog for database: ${database}`,
      types: text(`Catalog for database: ${database}\n${lines.join('')}`),
    },
  ]
}
