import { simulate } from './simulate.ts'

const [seed = String(Math.floor(Math.random() * 2 ** 31)), runs = '100000'] = process.argv.slice(2)
const started = process.hrtime.bigint()
const failure = await simulate(Number(seed), Number(runs))
const seconds = (Number(process.hrtime.bigint() - started) / 1e9).toFixed(1)
process.stdout.write(`${runs} runs, seed ${seed}, ${seconds} s: ${failure === null ? 'nothing found' : 'FAILED'}\n`)
if (failure !== null) {
  const { reason, log } = failure
  process.stdout.write(`  reason  ${reason}\n  again   pnpm simulate ${failure.seed} 8\n${log.join('\n')}\n`)
  process.exitCode = 1
}
