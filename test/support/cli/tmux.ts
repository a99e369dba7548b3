/** The command on the screen of a real terminal emulator, tmux, that can be read back, at the end or as it goes. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
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
    await promisify(execFile)('tmux', ['-L', server, 'wait-for', 'over'], { timeout: 20_000 })
    const written = tmux('capture-pane', '-p', '-J').split('\n')
    const lines = written.map((line) => line.trimEnd())
    while (lines.at(-1) === '') lines.pop()
    return { lines, colored: tmux('capture-pane', '-p', '-e') }
  } finally {
    spawnSync('tmux', ['-L', server, 'kill-server'], { stdio: 'ignore' })
  }
}

export interface LiveScreen extends Disposable {
  /** Resolves to the screen once it is as wanted, without blank lines. */
  shows(wanted: RegExp | ((screen: string) => boolean)): Promise<string>
  type(...keys: readonly string[]): void
  resize(columns: number): void
}

/** `retrieve ARGUMENTS`, as a shell reads them, in a folder and on a screen of so many columns. */
export function onScreen(folder: string, args: string, columns: number): LiveScreen {
  const socket = `retrieve-test-${process.pid}-${count++}`
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8', cwd: folder })
  const size = ['-x', String(columns), '-y', '24']
  // The screen is full, as it is after some work: while there is room below, tmux moves lines up when it wraps others.
  const script = `seq 30; '${process.execPath}' '${bin}' ${args}; echo "ended with $?"; read line`
  tmux('new-session', '-d', ...size, '-c', folder, 'bash', '--norc', '-c', script)
  return {
    async shows(wanted) {
      const fits = (screen: string): boolean => (wanted instanceof RegExp ? wanted.test(screen) : wanted(screen))
      for (let tries = 0; tries < 300; tries++) {
        const screen = tmux('capture-pane', '-p').replace(/ +$/gm, '').replace(/\n+/g, '\n')
        if (fits(screen)) return screen
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`The screen never showed ${wanted}:\n${tmux('capture-pane', '-p')}`)
    },
    type: (...keys) => void tmux('send-keys', ...keys),
    resize: (width) => void tmux('resize-window', '-x', String(width), '-y', '24'),
    [Symbol.dispose]: () => void spawnSync('tmux', ['-L', socket, 'kill-server'], { stdio: 'ignore' }),
  }
}

let count = 0
