import type { Line } from './line.ts'

/** Options that go with each other and with all of these schemes. */
const options = [
  '-o x',
  "-H 'X-A: 1'",
  '-f',
  '--limit-rate 1M',
  '-r 2-5',
  '-C 3',
  "-w '%{size_download}'",
  '-D h',
  '--create-dirs --output-dir d -O',
  '-R',
] as const

const urls = ['$HTTP/pub/hello.txt', '$FTP/pub/hello.txt', '$GOPHER/9/pub/hello.txt', '$FILE/hello.txt'] as const

/** -o and -O name one file, -r and -C exclude each other. */
const excluded: readonly (readonly string[])[] = [
  ['-o x', '--create-dirs --output-dir d -O'],
  ['-r 2-5', '-C 3'],
]

/** Each option alone, and each two of them, over each scheme. */
export const pairs: readonly Line[] = urls.flatMap((url) =>
  options.flatMap((first, index) =>
    ['', ...options.slice(index + 1)]
      .filter((second) => !excluded.some((pair) => pair.includes(first) && pair.includes(second)))
      .map((second) =>
        lineOf(
          [first, second].filter((word) => word !== ''),
          url,
        ),
      ),
  ),
)

function lineOf(chosen: readonly string[], url: string): Line {
  const line = ['curl -s', ...chosen, url].join(' ')
  const toFile = chosen.some((option) => /-o x|-O/.test(option))
  return toFile && chosen.includes('-C 3') ? [line, 'offset'] : line
}
