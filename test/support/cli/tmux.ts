/** The command on the screen of a real terminal emulator, tmux, of which the result can be read back. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { longestRun } from '../longest-run.ts'
import { bin, cleanEnv } from './run.ts'

export const hasTmux: boolean = spawnSync('tmux', ['-V'], { stdio: 'ignore' }).status === 0

/**
 * What stands on the screen at the end: the lines as they were written, so that one that the terminal broke at its edge
 * is longer than the screen is wide; and the same with colours, as SGR codes.
 */
export interface Screen {
  readonly lines: readonly string[]
  readonly colored: string
}

interface ScreenSettings {
  readonly columns: number
  readonly env?: Readonly<Record<string, string>>
}

/** Rows enough that nothing scrolls away. */
const rows = 200

/** The screen after the command lines, which a shell runs in a folder; `retrieve` is the command. */
export async function onTmux(folder: string, script: string, { columns, env = {} }: ScreenSettings): Promise<Screen> {
  const server = `retrieve-test-${randomUUID()}`
  const tmux = (...args: string[]): string => execFileSync('tmux', ['-L', server, ...args], { encoding: 'utf8' })
  const prelude = `retrieve() { '${process.execPath}' '${bin}' "$@"; }`
  const command = `${prelude}; ${script}\ntmux -L ${server} wait-for -S over; exec cat`
  const size = ['-x', String(columns), '-y', String(rows)]
  try {
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', 'new-session', '-d', ...size, command], {
      cwd: folder,
      env: { ...cleanEnv, SHELL: '/bin/sh', ...env },
    })
    await promisify(execFile)('tmux', ['-L', server, 'wait-for', 'over'], { timeout: longestRun })
    const written = tmux('capture-pane', '-p', '-J').split('\n')
    const lines = written.map((line) => line.trimEnd())
    while (lines.at(-1) === '') lines.pop()
    return { lines, colored: tmux('capture-pane', '-p', '-e') }
  } finally {
    spawnSync('tmux', ['-L', server, 'kill-server'], { stdio: 'ignore' })
  }
}
