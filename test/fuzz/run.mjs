// pnpm fuzz: lists the targets. pnpm fuzz NAME|all [RUNS] [SEED]: tries one, on the sources as they are.
import { runBundled } from '../support/run-bundled.mjs'

await runBundled(new URL('main.ts', import.meta.url))
