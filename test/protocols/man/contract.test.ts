import { testFetcher } from '../../support/contract/fetcher.ts'
import { fakePrograms } from '../../support/programs-in-path.ts'

/** As man writes for a printer: bold is `X BS X`, underlined `_ BS X`. */
const man = `case $last in
  ls) printf 'N\\bNA\\bA \\033[1mls\\033[0m _\\bx _\\b\\303\\251 +\\bo\\n';;
  *) echo "No manual entry for $last" >&2; exit 16;;
esac`
const apropos = `printf '%s\\n' 'ls (1)   - list directory contents' 'a b, ls (1p) - two pages'`

testFetcher({
  mechanism: 'man',
  bytes: Buffer.from('NA ls x é o\n'),
  entries: ['ls(1)', 'ls(1p)'],
  async start() {
    const programs = await fakePrograms({ man, apropos })
    return {
      object: 'man:ls',
      missing: 'man:nosuch',
      listing: 'man:(index)',
      [Symbol.asyncDispose]: () => programs[Symbol.asyncDispose](),
    }
  },
})
