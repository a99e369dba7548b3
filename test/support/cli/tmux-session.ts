/** The command on the screen of tmux while it runs: keys are typed, and the screen changes its size. */
import { execFileSync, spawnSync } from 'node:child_process'
import { bin } from './run.ts'

export interface RunningScreen extends Disposable {
  /** Resolves to the screen once it is as wanted, without blank lines. */
  shows(wanted: RegExp | ((screen: string) => boolean)): Promise<string>
  type(...keys: readonly string[]): void
  resize(columns: number): void
}

/**
 * `retrieve ARGUMENTS`, as a shell reads them, in a folder and on a screen of so many columns. `before` is what the
 * shell does first.
 */
export function onScreen(folder: string, args: string, columns: number, before = ''): RunningScreen {
  return programOnScreen(folder, `${before}seq 30; '${process.execPath}' '${bin}' ${args}`, columns)
}

/** What a shell runs, on a screen of so many columns. */
export function programOnScreen(folder: string, command: string, columns: number): RunningScreen {
  const socket = `retrieve-test-${process.pid}-${count++}`
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8', cwd: folder })
  const size = ['-x', String(columns), '-y', '24']
  // The screen is full, as it is after some work: while there is room below, tmux moves lines up when it wraps others.
  const script = `${command}; echo "ended with $?"; read line`
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
