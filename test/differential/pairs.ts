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

const urls = ['$HTTP/pub/hello.txt', '$FTP/pub/hello.txt', '$GOPHER/9/pub/a.bin', '$FILE/hello.txt'] as const

/** -o and -O name one file, -r and -C exclude each other. */
const excluded: readonly (readonly string[])[] = [
  ['-o x', '--create-dirs --output-dir d -O'],
  ['-r 2-5', '-C 3'],
]

/** Options that curl ignores, or answers with what is its own, by the scheme of the URL. */
const unfit: Readonly<Record<string, readonly string[]>> = {
  $FTP: ['-D h'],
  $GOPHER: ['-D h', '-r 2-5', '-C 3'],
  $FILE: ['-D h'],
}

/** Each option alone, and each two of them, over each scheme. */
export const pairs: readonly Line[] = urls.flatMap((url) => {
  const [scheme = ''] = url.split('/')
  const fit = options.filter((option) => !unfit[scheme]?.includes(option))
  return fit.flatMap((first, index) =>
    ['', ...fit.slice(index + 1)]
      .filter((second) => !excluded.some((pair) => pair.includes(first) && pair.includes(second)))
      .map((second) => ['curl -s', first, second, url].filter((word) => word !== '').join(' ')),
  )
})
