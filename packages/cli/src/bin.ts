#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { commandNames } from './commands/index.ts'
import { ChunkLoader } from './start/load.ts'
import { versionText } from './version.ts'

/** The version in package.json, and the list of help/retrieved-schemes.ts, which bundle.mjs puts here. */
declare const RETRIEVE_VERSION: string
declare const RETRIEVE_SCHEMES: string

/** Words that mean many URLs: `--from LIST`, `--parallel`, `-ZO`. */
const many = /^-(?:-from(?:=|$)|-parallel$|[A-Za-z]*Z)/

const words = process.argv.slice(2)
if (!tellVersion(words)) run(words)

/**
 * Answers --version alone, before anything of the command is loaded. False: the line asks for something else, or
 * standard output does not take the text, which main() tells.
 */
function tellVersion([first, ...others]: readonly string[]): boolean {
  if (others.length > 0 || (first !== '--version' && first !== '-V')) return false
  try {
    const text = versionText(RETRIEVE_VERSION, RETRIEVE_SCHEMES)
    return writeSync(1, text) === text.length
  } catch {
    return false
  }
}

function run(argv: readonly string[]): void {
  // Overwrites the arguments in the process list, since they may hold a password.
  process.title = 'retrieve'
  // Each command uses other functions, and so do many URLs, so each has its own file of compiled code.
  const command = commandNames.find((name) => name === argv[0]) ?? 'get'
  const loader = new ChunkLoader(__filename, argv.some((word) => many.test(word)) ? `${command}-many` : command)
  const { main } = loader.load('main.js') as typeof import('./main.ts')
  // The bundle is CommonJS, which starts faster but has no await here. main() never rejects.
  void main(argv, process.env, process, loader.optimisation).then((code) => {
    // After an interrupt, a write to a paused reader may stay pending for ever, so the process must be ended. Otherwise
    // all output is already written.
    if (code > 128) process.exit(code)
    process.exitCode = code
  })
}
