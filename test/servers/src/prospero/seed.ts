/** A link of a directory, as tokens of LINK, followed by its attributes, each as tokens of ATTRIBUTE. */
export interface SeedLink {
  readonly type: 'L' | 'U' | 'I'
  readonly target: string
  readonly name: string
  /** `host` or `host(port)`. Default: the server itself, which calls itself LOCALHOST. */
  readonly host?: string
  readonly hsoname: string
  readonly attributes?: readonly (readonly string[])[]
}

export interface SeedObject {
  /** The octets of a plain file, one char each. */
  readonly contents?: string
  readonly links?: readonly SeedLink[]
  /** Further attributes, each as tokens of ATTRIBUTE. */
  readonly attributes?: readonly (readonly string[])[]
  /** The tokens of FORWARDED. */
  readonly forwarded?: readonly string[]
}

/** The ports of the servers to which other access methods lead. */
export interface Ports {
  readonly ftp: number
  readonly gopher: number
}

const lines = Array.from(
  { length: 600 },
  (_, at) => `line ${String(at + 1).padStart(4, '0')} of a large file, it's long\n`,
)

/** The objects by their hsoname. */
export function seedObjects({ ftp, gopher }: Ports): ReadonlyMap<string, SeedObject> {
  const aftp = ['AFTP', 'INTERNET-D', `127.0.0.1(${ftp})`, 'ASCII', '/pub/hello.txt', 'BINARY']
  const gopherMenu = ['GOPHER', 'INTERNET-D', `127.0.0.1(${gopher})`, 'ASCII', '/pub/hello.txt', '0']
  const field = (...tokens: readonly string[]): readonly string[] => ['OBJECT', 'FIELD', 'ACCESS-METHOD', ...tokens]
  const cached = (...tokens: readonly string[]): readonly string[] => ['CACHED', 'FIELD', 'ACCESS-METHOD', ...tokens]
  return new Map<string, SeedObject>([
    ['/docs', { links: [...names(docs, '/docs', 'FILE'), here('DIRECTORY', 'sub', '/docs/sub')] }],
    ...Object.entries(docs).map(([name, contents]) => [`/docs/${name}`, { contents }] as const),
    ['/docs/sub', { links: [here('FILE', 'deep.txt', '/docs/sub/deep.txt')] }],
    ['/docs/sub/deep.txt', { contents: 'deep\n' }],
    ['/empty', { links: [] }],
    [
      '/links',
      {
        links: [
          {
            ...here('EXTERNAL', 'ext.txt', '/pub/hello.txt'),
            host: `127.0.0.1(${ftp})`,
            attributes: [cached(...aftp), ['LINK', 'APPLICATION', 'COMMENT', 'SEQUENCE', 'two words', "it's"]],
          },
          {
            ...here('FILE', 'plain', '/docs/hello.txt'),
            attributes: [['OBJECT', 'INTRINSIC', 'SIZE', 'SEQUENCE', '20 bytes']],
          },
          { ...here('FILE', 'hidden', '/docs/hello.txt'), type: 'I' },
          { ...here('DIRECTORY', 'far', 'ARCHIE/HOST'), host: 'other.example.org(1526)' },
          here('SYMBOLIC', 'sym', '/docs/hello.txt'),
          { ...here('DIRECTORY', 'un', '/docs/sub'), type: 'U' },
          here('FILE', 'virtual', '/objects/virtual'),
          here('DIRECTORY', 'docs', '/docs'),
        ],
      },
    ],
    [
      '/loop',
      {
        links: [
          { ...here('DIRECTORY', 'again', '/loop'), type: 'U' },
          { ...here('DIRECTORY', 'other', '/loop2'), type: 'U' },
        ],
      },
    ],
    [
      '/loop2',
      { links: [here('FILE', 'hello.txt', '/docs/hello.txt'), { ...here('DIRECTORY', 'back', '/loop'), type: 'U' }] },
    ],
    [
      '/objects/virtual',
      { attributes: [field(...gopherMenu), field(...aftp), ['OBJECT', 'FIELD', 'BASE-TYPE', 'FILE']] },
    ],
    ['/objects/local', { attributes: [field('LOCAL', '', '', 'ASCII', '/etc/passwd')] }],
    ['/objects/telnet', { attributes: [field('TELNET', 'INTERNET-D', 'localhost(2323)', 'ASCII', '', '')] }],
    ['/moved', { forwarded: ['INTERNET-D', 'LOCALHOST', 'ASCII', '/docs/hello.txt', '0'] }],
    ['/circle', { forwarded: ['INTERNET-D', 'LOCALHOST', 'ASCII', '/circle', '0'] }],
  ])
}

const docs: Readonly<Record<string, string>> = {
  'hello.txt': 'hello from prospero\n',
  'large.txt': lines.join(''),
  'bytes.bin': String.fromCharCode(...Array.from({ length: 3000 }, (_, at) => at % 256)),
  'empty.txt': '',
  "it's a file": 'odd name\n',
}

function here(target: string, name: string, hsoname: string): SeedLink {
  return { type: 'L', target, name, hsoname }
}

function names(files: Readonly<Record<string, string>>, folder: string, target: string): SeedLink[] {
  return Object.keys(files).map((name) => here(target, name, `${folder}/${name}`))
}
