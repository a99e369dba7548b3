import { equivalents } from './equivalents.mjs'

/**
 * Counts the mutants of a report, and lists those that no test noticed. `isWhole`: all mutants of an area were run.
 * Those that run while their module is loaded do not count: only tests that load it anew have tried them.
 */
export function counted({ files }, isWhole) {
  const all = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter((mutant) => mutant.static !== true)
      .map((mutant) => ({ ...read(source, mutant), file, status: mutant.status, reason: mutant.statusReason })),
  )
  // A mutant that ends in an endless loop is noticed, too.
  const killed = all.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const missed = all.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  // Stryker could not run the tests: no score of the others says anything about these.
  const untried = all.filter(({ status }) => status === 'RuntimeError' || status === 'CompileError')
  const known = new Set()
  const survivors = missed.filter((mutant) => {
    const row = equivalents.find((each) => isSame(each, mutant))
    if (row !== undefined) known.add(row)
    return row === undefined
  })
  const equivalent = missed.length - survivors.length
  const total = killed + missed.length
  const share = total === 0 ? 1 : (killed + equivalent) / total
  const idle = isWhole ? equivalents.filter((row) => Object.hasOwn(files, row.file) && !known.has(row)) : []
  return {
    score: 100 * share,
    // The 95 % interval of a share (Wald), for a sample.
    error: 100 * 1.96 * Math.sqrt((share * (1 - share)) / Math.max(1, total)),
    killed,
    equivalent,
    survived: survivors.length,
    untried: untried.length,
    lines: [
      ...survivors.map(({ file, at, code, change, status }) => {
        return `${file}:${at} ${status === 'Survived' ? 'survived' : 'no test'}: ${code} => ${change}`
      }),
      ...untried.map(({ file, at, code, change, reason = '' }) => {
        const why = oneLine(reason)
        return `${file}:${at} not tried: ${code} => ${change} (${why.slice(0, 150)} ... ${why.slice(-150)})`
      }),
      ...idle.map(({ file, code, change }) => `${file}: equivalents.mjs has a row too many: ${code} => ${change}`),
    ],
  }
}

function isSame(row, { file, code, change }) {
  return row.file === file && row.code === code && row.change === change
}

/** A mutant's place, and the code that it changes, each in one line. */
function read(source, { location: { start, end }, replacement = '' }) {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1)
  lines[0] = lines[0].slice(start.column - 1)
  return { at: `${start.line}:${start.column}`, code: oneLine(lines.join('\n')), change: oneLine(replacement) }
}

function oneLine(code) {
  return code.replace(/\s+/g, ' ').trim()
}
