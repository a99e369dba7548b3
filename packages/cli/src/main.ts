import type { CommandName } from './commands/index.ts'
import { type Config, readConfig } from './config.ts'
import { SharedJar } from './cookies/index.ts'
import { watchInterrupts } from './interrupts.ts'
import type { SharedFetchers } from './options/protocols/shared-fetchers.ts'
import { type CommandLine, located, parseCommandLine } from './parse.ts'
import type { Run } from './run.ts'
import type { Optimisation } from './start/optimisation.ts'
import { Output, StdoutClosed } from './terminal/output.ts'
import { Reporter } from './terminal/report.ts'
import type { Host } from './terminal/streams.ts'

/** The version in package.json, which bundle.mjs puts here. */
declare const RETRIEVE_VERSION: string
/** The list of help/retrieved-schemes.ts, which bundle.mjs puts here. */
declare const RETRIEVE_SCHEMES: string

/** A command. It returns the exit code. */
type Command = (run: Run) => Promise<number>

/**
 * The modules of the commands. Each is loaded only when it runs, so that --help, --version and explain start quickly.
 */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  get: async () => (await import('./commands/get.ts')).get,
  explain: async () => (await import('./commands/explain.ts')).explainUrls,
  ls: async () => (await import('./commands/ls.ts')).ls,
  open: async () => (await import('./commands/open.ts')).open,
  extract: async () => (await import('./commands/extract.ts')).extract,
  check: async () => (await import('./commands/check.ts')).check,
  mirror: async () => (await import('./commands/mirror.ts')).mirror,
  journal: async () => (await import('./commands/journal.ts')).journal,
  queue: async () => (await import('./commands/queue.ts')).queue,
  schemes: async () => (await import('./commands/schemes.ts')).schemes,
  serve: async () => (await import('./commands/serve.ts')).serve,
  gateway: async () => (await import('./commands/gateway.ts')).gateway,
  audit: async () => (await import('./commands/audit.ts')).auditClient,
  demo: async () => (await import('./commands/demo.ts')).demo,
  completions: async () => (await import('./commands/completions.ts')).completions,
}

/**
 * Runs the program with argv and env in a process, and resolves to the exit code. It never throws, and exits the
 * process itself only because of a defect.
 */
export async function main(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  given: Host,
  optimisation: Optimisation | null = null,
): Promise<number> {
  // Only Node's permission model, in which --jail runs this command once more, makes this member.
  const jailed = 'permission' in process ? await import('./start/jailed-host.ts') : null
  const host = jailed?.isJailed() ? jailed.jailedHost(given) : given
  const interrupts = watchInterrupts(host)
  const output = new Output(interrupts.signal, env, host)
  // Reports errors in the options themselves; another one replaces it once the options are read.
  let report = new Reporter(output, { json: argv.includes('--json') })
  const defect = (error: unknown): void => host.exit(report.error(error))
  // A defect outside the call chain, or an unhandled rejection, also gives a sentence and an exit code.
  host.on('uncaughtException', defect)
  let exit = 0
  try {
    const words = helpWords(argv)
    const line = words === null ? parseCommandLine(argv, env) : null
    if (line === null || line.has('help')) {
      const { helpOn } = await import('./help/index.ts')
      await output.write(helpOn(words ?? wordsOf(line), output.columns))
      return 0
    }
    if (line.has('version')) {
      const { versionText } = await import('./version.ts')
      await output.write(versionText(RETRIEVE_VERSION, RETRIEVE_SCHEMES))
      return 0
    }
    if (line.has('jail') && !jailed?.isJailed()) {
      return await (await import('./start/jail.ts')).runJailed(argv, line, env, host)
    }
    for (const message of line.warnings) report.warning({ message })
    const shared = line.following.length === 0 ? null : await sharedFetchers()
    const configs = [line, ...line.following].map((each) => configOf(each, env, shared))
    // Starts to watch signals only now: the options may come from a FIFO or the terminal (-K -), and are read in one
    // blocking call.
    interrupts.start()
    const stderr = configs.findLast((config) => config.stderr !== null)?.stderr ?? null
    if (stderr !== null) {
      const { SideFile } = await import('./saving/side-file.ts')
      // For --stderr only `-` is special, so `%` is the name of a file.
      const file = new SideFile(stderr === '%' ? './%' : stderr, output)
      file.open()
      output.redirectErrors((text) => file.add(text))
    }
    const command = await commands[line.command]()
    const traces = configs.some(({ verbose, json }) => verbose && !json)
    const trace = traces ? new (await import('./terminal/trace.ts')).Trace() : null
    const servers: Run['servers'] = new Map()
    const jar = new SharedJar()
    const traceFile = await traceFileOf(configs, output)
    const archive = await archiveOf(configs, interrupts.signal)
    const release = await shared?.hold()
    try {
      for (const config of configs) {
        output.useColor(config.color)
        report = new Reporter(output, config, trace)
        const { signal } = interrupts
        const shared = { output, signal, interrupts, servers, jar, traceFile, archive, optimisation }
        const code = await command({ config, report, ...shared })
        exit ||= code
      }
    } finally {
      await release?.()
      traceFile?.close()
      await archive?.close()
    }
    if (exit === 0) await output.end(configs.some(wantsErrors))
    return exit
  } catch (error) {
    // The reader of standard output is gone, as with `| head`. It has all that it wanted, so this is no error.
    if (error instanceof StdoutClosed) return exit
    return interrupts.exitCode ?? report.error(error)
  } finally {
    output.status('')
    interrupts.stop()
    host.off('uncaughtException', defect)
  }
}

/** Whether standard error gets output that the user asked for, besides messages. */
function wantsErrors({ verbose, dumpHeader, trace }: Config): boolean {
  return verbose || dumpHeader === '%' || trace?.file === '%'
}

/** The words after `help`, `--help` or `-h`, which may look like options; null if the line begins with another word. */
function helpWords([first = '', ...words]: readonly string[]): readonly string[] | null {
  return ['help', '--help', '-h'].includes(first) ? words : null
}

/** The words on which --help or --manual asks for help. */
function wordsOf(line: CommandLine | null): readonly string[] {
  if (line?.has('manual')) return ['all']
  return line?.named ? [line.command] : []
}

/** What the groups of --next share. */
async function sharedFetchers(): Promise<SharedFetchers> {
  return new (await import('./options/protocols/shared-fetchers.ts')).SharedFetchers()
}

/** The trace file, which all groups share. Throws `write-failed`. */
async function traceFileOf([first]: readonly Config[], output: Output): Promise<Run['traceFile']> {
  if (first === undefined || first.trace === null) return null
  return new (await import('./tracing/trace-file.ts')).TraceFile(first.trace, output)
}

/** The web archive, which all groups share. Throws `write-failed`. */
async function archiveOf([first]: readonly Config[], signal: AbortSignal): Promise<Run['archive']> {
  if (first === undefined || first.archive === null) return null
  const { Archive } = await import('./archive/archive.ts')
  return new Archive(first.archive, `retrieve/${RETRIEVE_VERSION}`, signal)
}

/** Reads the options of a group. An error in a configuration file names the line. */
function configOf(line: CommandLine, env: NodeJS.ProcessEnv, shared: SharedFetchers | null): Config {
  try {
    return readConfig(line, env, shared)
  } catch (error) {
    throw located(line, error)
  }
}
