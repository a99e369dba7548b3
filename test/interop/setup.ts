import { existsSync } from 'node:fs'

/** The suite runs the built command; a missing one would fail every test with a message about Node's modules. */
export default function setup(): void {
  if (!existsSync(new URL('../../packages/cli/dist/bin.js', import.meta.url))) {
    throw new Error('packages/cli/dist/bin.js is missing: build it first (pnpm build)')
  }
}
