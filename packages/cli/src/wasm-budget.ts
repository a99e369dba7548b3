import { setFlagsFromString } from 'node:v8'

/**
 * Keeps V8 from optimising undici's parser, which is WebAssembly. V8 begins to do so at the first response, and Node
 * waits 80 to 100 ms for that after all output is written. The parser is fast enough without, as large bodies bypass
 * it. Node 24 starts the optimisation later by itself, and versions after it may not know the flag.
 */
export function deferWasmOptimisation(): void {
  if (Number.parseInt(process.versions.node, 10) < 24) setFlagsFromString('--wasm-tiering-budget=100000000')
}
