import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import fastUri from 'fast-uri'
import { resolve } from '../../packages/core/dist/index.js'
import { median, printTable } from './lib/table.mjs'

export const about = 'Resolutions a second for 100,000 mixed URLs (or: COUNT [RUNS]), beside new URL() and fast-uri.'

/**
 * Of 20 URLs 12 are of the web, as in a page or a log; the others are what Retriever is for. Every one differs, so that
 * no cache helps; hosts recur, as they do.
 */
const shapes = [
  (i) => `https://www.example${i % 977}.com/articles/${i}/a-title-of-some-length.html`,
  (i) => `https://www.example${i % 977}.com/search?q=word${i}&page=${i % 9}&lang=en`,
  (i) => `http://example.org/~user${i % 99}/`,
  (i) => `https://api.example.net/v2/items/${i}?fields=id,name`,
  (i) => `https://cdn${i % 7}.example.net/assets/${i}/main.min.js`,
  (i) => `http://localhost:8080/a/${i}`,
  (i) => `https://example${i % 500}.co.uk/path/to/page/${i}#section-3`,
  (i) => `https://de.example.org/wiki/M%C3%BCnchen_${i}`,
  (i) => `http://192.0.2.${i % 256}/status/${i}`,
  (i) => `https://example.com/${i}`,
  (i) => `https://shop.example${i % 300}.com/p/${i}?ref=mail&utm_source=letter&utm_campaign=c${i}`,
  (i) => `https://img.example.com/${i % 256}/${i}.jpg`,
  (i) => `ftp://ftp.example${i % 77}.org/pub/dir/file${i}.tar.gz`,
  (i) => `ftp://ftp.example.org/pub/${i};type=a`,
  (i) => `gopher://gopher.example.org/0/docs/text${i}%20a.txt`,
  (i) => `news:comp.lang.test${i}`,
  (i) => `nntp://news.example.org/comp.lang.c/${i + 1}`,
  (i) => `mailto:someone${i}@example.org?subject=Hello%20${i}`,
  (i) => `file:///home/user/documents/file%20${i}.txt`,
  (i) => `ldap://ldap.example.org/o=Org${i},c=US?cn?sub?(uid=u${i})`,
]

const usual = [
  { name: 'new URL()', run: (url) => new URL(url).pathname.length },
  { name: 'fast-uri', run: (url) => fastUri.parse(url).scheme.length },
  { name: 'resolve', run: (url) => resolve(url).findings.length },
]

/** The contestants in turn, round by round, so that a machine that grows slower does so for all. */
export async function run([count = '100000', runs = '9']) {
  const urls = Array.from({ length: Number(count) }, (_, i) => shapes[i % shapes.length](i))
  const { splitUrl } = await builtFrom('../../packages/core/src/url/split.ts')
  const contestants = [...usual, { name: 'split', run: (url) => splitUrl(url).locator.scheme.length }]
  const times = new Map(contestants.map(({ name }) => [name, []]))
  let kept = 0
  for (let round = 0; round < Number(runs) + 2; round++) {
    for (const { name, run: go } of contestants) {
      const begin = performance.now()
      for (const url of urls) kept += go(url)
      // Two rounds warm the compiler up.
      if (round >= 2) times.get(name).push(performance.now() - begin)
    }
  }
  const whatwg = median(times.get('new URL()'))
  process.stdout.write(`${urls.length} URLs, median of ${runs} runs in one process (checksum ${kept})\n\n`)
  printTable(
    ['', 'URLs/s', 'us each', 'time, new URL() = 1'],
    contestants.map(({ name }) => {
      const time = median(times.get(name))
      const each = (time * 1000) / urls.length
      return [
        name,
        Math.round((urls.length / time) * 1000).toLocaleString('en'),
        each.toFixed(2),
        (time / whatwg).toFixed(2),
      ]
    }),
  )
  growth()
}

/** A module that the package does not export. */
async function builtFrom(source) {
  const entryPoints = [fileURLToPath(new URL(source, import.meta.url))]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', target: 'node20.18', write: false })
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
}

/** Time for a URL of n characters against one of n / 2, up to the limit of 64 KiB: 2 where the time is linear. */
function growth() {
  const rows = []
  let last
  for (let length = 2048; length <= 65_536; length *= 2) {
    const url = `ftp://h/${'a%20b/'.repeat(length)}`.slice(0, length - 2).replace(/%.?$/, '')
    const samples = Array.from({ length: 15 }, () => {
      const begin = performance.now()
      for (let time = 0; time < 20; time++) resolve(url)
      return performance.now() - begin
    })
    const time = median(samples) / 20
    rows.push([String(length), (time * 1000).toFixed(0), last === undefined ? '' : (time / last).toFixed(2)])
    last = time
  }
  process.stdout.write('\n')
  printTable(['characters', 'us', 'growth'], rows)
}
