import { fuzz } from './fuzz.ts'
import { targets } from './targets.ts'

const [name = '', runs = '100000', seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2)
const chosen = name === 'all' ? Object.entries(targets) : Object.entries(targets).filter(([known]) => known === name)

if (chosen.length === 0) {
  for (const [known, { about }] of Object.entries(targets)) process.stdout.write(`${known.padEnd(16)}${about}\n`)
  process.stdout.write('\npnpm fuzz NAME|all [RUNS] [SEED]\n')
  if (name !== '') process.exitCode = 2
}
for (const [known, target] of chosen) {
  const started = performance.now()
  const failure = await fuzz(target, Number(runs), Number(seed))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(
    `${known}: ${runs} runs, seed ${seed}, ${seconds} s: ${failure === null ? 'nothing found' : 'FAILED'}\n`,
  )
  if (failure === null) continue
  process.stdout.write(`  input   ${JSON.stringify(failure.input)}\n  reason  ${failure.message.slice(0, 2000)}\n`)
  process.exitCode = 1
}
