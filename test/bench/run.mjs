// pnpm bench: lists the benchmarks. pnpm bench NAME [ARGUMENTS]: runs one, on what was built last (pnpm build).
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const names = readdirSync(here)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -'.mjs'.length))
const [name, ...args] = process.argv.slice(2)

if (names.includes(name)) {
  const { run } = await import(`./${name}.mjs`)
  await run(args)
} else {
  for (const known of names) {
    const { about } = await import(`./${known}.mjs`)
    process.stdout.write(`${known.padEnd(16)}${about}\n`)
  }
  if (name !== undefined) {
    process.stderr.write(`There is no benchmark ${name}.\n`)
    process.exitCode = 2
  }
}
