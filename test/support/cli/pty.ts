/** The command on a terminal of its own. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { bin, cleanEnv } from './run.ts'

/** util-linux's script(1) runs a command on a terminal of its own; others of that name have other options. */
const pty = 'script'
export const hasTerminal: boolean = spawnSync(pty, ['-qec', 'exit 7', '/dev/null'], { stdio: 'ignore' }).status === 7

export interface Session {
  readonly status: number
  readonly screen: string
}

interface TerminalSettings {
  readonly term?: string
  readonly columns?: number
  /** Default: NO_COLOR. */
  readonly env?: Readonly<Record<string, string>>
}

/** `retrieve ARGUMENTS`, as a shell reads them, in a folder; `typed` is what is typed once each prompt has come. */
export async function onPty(
  folder: string,
  args: string,
  typed: Readonly<Record<string, string>> = {},
  { term = 'xterm', columns = 60, env = { NO_COLOR: '1' } }: TerminalSettings = {},
): Promise<Session> {
  const command = `stty cols ${columns} rows 24; TERM=${term} exec '${process.execPath}' '${bin}' ${args}`
  const child = spawn(pty, ['-qec', command, '/dev/null'], { cwd: folder, env: { ...cleanEnv, ...env }, stdio: 'pipe' })
  let screen = ''
  const prompts = new Map(Object.entries(typed))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    for (const [prompt, answer] of prompts) {
      if (!screen.includes(prompt)) continue
      prompts.delete(prompt)
      child.stdin.write(answer)
    }
  })
  const [status] = await once(child, 'close')
  return { status, screen }
}
