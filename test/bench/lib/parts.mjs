/** Runs the one part of a benchmark that is named first, or all of them, with the arguments behind it. */
export async function runParts(benchmark, parts, [part, ...args]) {
  if (part !== undefined && !Object.hasOwn(parts, part)) {
    process.stderr.write(`${benchmark} has no part ${part}: ${Object.keys(parts).join(', ')}.\n`)
    process.exitCode = 2
    return
  }
  for (const name of part === undefined ? Object.keys(parts) : [part]) {
    process.stdout.write(`== ${name}\n`)
    await parts[name](args)
    process.stdout.write('\n')
  }
}
