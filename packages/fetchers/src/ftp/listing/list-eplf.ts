import { safeSize } from './line-words.ts'
import { known, type LineReading } from './listed-file.ts'

/** `+i8388621.29609,m824255902,/,<TAB>tdev`: EPLF, https://cr.yp.to/ftp/list/eplf.html; dates are seconds since 1970, in UTC. */
export function readEplf(line: string): LineReading | undefined {
  const tab = line.indexOf('\t')
  if (!line.startsWith('+') || tab === -1) return undefined
  const facts = line.slice(1, tab).split(',')
  const number = (letter: string): number | undefined =>
    safeSize(facts.find((fact) => fact.startsWith(letter))?.slice(1) ?? '')
  const modified = new Date((number('m') ?? Number.NaN) * 1000)
  return {
    name: line.slice(tab + 1),
    kind: facts.includes('/') ? 'directory' : facts.includes('r') ? 'file' : 'other',
    ...known({ size: number('s'), modified: Number.isNaN(modified.getTime()) ? undefined : modified }),
  }
}
