import { testFetcher } from '../../support/contract/fetcher.ts'
import { fakePrograms } from '../../support/programs-in-path.ts'

const node = 'File: gcc.info,  Node: Top,  Next: G++ and GCC,  Up: (dir)\n\n* Menu:\n\n* G++ and GCC::  Both.\n'
const info = `case "$1" in
  -fgcc) printf '%s' '${node}';;
  -fdir) printf 'File: dir,\\tNode: Top\\tThe top\\n\\n* Menu:\\n\\nGNU\\n* GCC: (gcc).  Compilers.\\n';;
  *) echo "info: No such file or directory" >&2;;
esac`

testFetcher({
  mechanism: 'info',
  bytes: Buffer.from(node),
  entries: ['GCC'],
  async start() {
    const programs = await fakePrograms({ info })
    return {
      object: 'info:gcc',
      missing: 'info:nosuch',
      listing: 'info:(dir)',
      [Symbol.asyncDispose]: () => programs[Symbol.asyncDispose](),
    }
  },
})
