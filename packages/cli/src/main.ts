import type { CommandName } from './commands/index.ts'
import { type Config, readConfig } from './config.ts'
import { formatHelp } from './help.ts'
import { watchInterrupts } from './interrupts.ts'
import { parseCommandLine } from './parse.ts'
import { Output, StdoutClosed } from './terminal/output.ts'
import { Reporter } from './terminal/report.ts'
import { version } from './version.ts'

/** What a command works with. */
export interface Run {
  readonly config: Config
  readonly output: Output
  readonly report: Reporter
  /** Aborts on Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
}

/** Returns the exit code. */
type Command = (run: Run) => Promise<number>

/** Each is loaded when it runs, so that --help, --version and explain start at once. */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  get: async () => (await import('./commands/get.ts')).get,
  explain: async () => (await import('./commands/explain.ts')).explainUrls,
  ls: async () => (await import('./commands/ls.ts')).ls,
  extract: async () => (await import('./commands/extract.ts')).extract,
  schemes: async () => (await import('./commands/schemes.ts')).schemes,
  serve: async () => (await import('./commands/serve.ts')).serve,
  demo: async () => (await import('./commands/demo.ts')).demo,
}

/** The whole of the command: argv and env in, exit code out. Never exits, never throws. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const interrupts = watchInterrupts()
  const output = new Output(interrupts.signal, env)
  // Until the options are read, for what is wrong with them.
  let report = new Reporter(output, { json: argv.includes('--json') })
  const defect = (error: unknown): void => process.exit(report.error(error))
  // A defect of ours outside the call chain: one sentence and an exit code, as for all others. Unhandled rejections come here too.
  process.once('uncaughtException', defect)
  try {
    const line = parseCommandLine(argv)
    const text = line.has('help')
      ? formatHelp(line.named ? line.command : null, output.columns)
      : line.has('version')
        ? `retrieve ${version}\n`
        : null
    if (text !== null) {
      await output.write(text)
      return 0
    }
    const config = readConfig(line, env)
    report = new Reporter(output, config)
    const command = await commands[config.command]()
    return await command({ config, output, report, signal: interrupts.signal })
  } catch (error) {
    // `| head`: who reads has enough. Nothing went wrong.
    if (error instanceof StdoutClosed) return 0
    return interrupts.exitCode ?? report.error(error)
  } finally {
    output.status('')
    interrupts.stop()
    process.off('uncaughtException', defect)
  }
}
