import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, which begin first: begun last, one would run alone for minutes. Without the times of an
 * earlier run, as in a clean checkout, Vitest begins with the largest files.
 */
const longest = [
  'regexps',
  'simulation/simulation',
  'many/journal-torn',
  'commands/audit-all',
  'many/journal-killed',
  'house/new-scheme',
  'package/tarballs',
  'differential/curl',
  'interop/ftp',
  'interop/pages',
  'interop/http',
]

/** Runs the files that take longest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return at < 0 ? longest.length : at
    }
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => rank(one) - rank(other))
  }
}
