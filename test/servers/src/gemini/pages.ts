interface Answer {
  readonly header: string
  /** The body; absent if the status has none. */
  readonly body?: string | Uint8Array
}

const index = `# The test server
Grüße from a page of gemtext.

=> /pub/hello.txt A text
=> pub/a.bin
=>/input\tA prompt
=> gopher://gopher.example.org/ Another server
=> http://[ A broken link
## A list
* one
> quoted
\`\`\`alt
=> not a link
\`\`\`
### The end
`

const pages: Readonly<Record<string, Answer>> = {
  '/': { header: '20 text/gemini; lang=en', body: Buffer.from(index) },
  '/pub/hello.txt': { header: '20 text/plain', body: 'Hello, world.\n' },
  '/pub/latin1.txt': { header: '20 text/plain; charset=ISO-8859-1', body: Uint8Array.of(0x67, 0x72, 0xfc, 0xdf) },
  '/pub/a.bin': { header: '20 application/octet-stream', body: Uint8Array.from({ length: 4096 }, (_, at) => at % 256) },
  '/pub/empty': { header: '20 text/plain', body: '' },
  '/untyped': { header: '20 ', body: 'text\n' },
  '/redirect/30': { header: '30 /pub/hello.txt' },
  '/redirect/31': { header: '31 ../redirect/30' },
  '/redirect/loop': { header: '30 /redirect/loop' },
  '/redirect/http': { header: '30 http://127.0.0.1:1/' },
  '/redirect/empty': { header: '30 ' },
}

/** The page of a path. `/input` and `/secret` ask for a query; `/status/NN` has that status. */
export function pageFor(path: string, query: string | undefined): Answer {
  if (path === '/input' && query === undefined) return { header: '10 Your name?' }
  if (path === '/secret' && query === undefined) return { header: '11 Your password?' }
  if (path === '/twice' && query !== 'b') return { header: query === undefined ? '10 First?' : '10 Second?' }
  if (path === '/again') return { header: '10 Again?' }
  if (path === '/leak') return { header: query === undefined ? '11 Your password?' : `30 /input?${query}` }
  if (path === '/echo') return { header: query === undefined ? '11 Your password?' : `51 no ${query}` }
  if (/^\/(?:input|secret|twice)$/.test(path)) return { header: '20 text/plain', body: `${query}\n` }
  const [, status] = /^\/status\/(\d\d)$/.exec(path) ?? []
  if (status !== undefined) return { header: `${status} This is status ${status}` }
  return Object.hasOwn(pages, path) ? (pages[path] ?? missing) : missing
}

const missing: Answer = { header: '51 Not found' }
