import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../../../', import.meta.url))
const folder = process.env.RETRIEVER_BEFORE

/**
 * The contestants, and beside each of ours the same by an older commit: `RETRIEVER_BEFORE` names the folder of its
 * clone, which is built and has a copy of this commit's `test/bench`. `line(cwd)` is a command line.
 */
export function withBefore(contestants, isOurs) {
  if (folder === undefined) return contestants
  const commit = execFileSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const older = ({ goal, ...contestant }) => ({
    ...contestant,
    name: `${contestant.name}, ${commit}`,
    line: (cwd) => contestant.line(cwd).map((word) => word.replace(here, `${folder}/`)),
  })
  return contestants.flatMap((contestant) => (isOurs(contestant) ? [contestant, older(contestant)] : [contestant]))
}
