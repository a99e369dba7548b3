import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, which begin first: begun last, one would run alone for minutes. */
const longest = ['differential/curl', 'interop/ftp', 'interop/pages', 'interop/http']

/** Runs the files that take longest first. A clean checkout has no times of an earlier run to sort by. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
      return at < 0 ? longest.length : at
    }
    return files.sort((one, other) => rank(one) - rank(other))
  }
}
