/** Interactive shells that complete what is typed into them. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { hasTerminal } from './pty.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

/** Whether the shell is here, and util-linux's script(1) for a terminal of its own. */
export function canComplete(shell: Shell): boolean {
  return hasTerminal && spawnSync(shell, ['-c', 'exit 7']).status === 7
}

/** Without the files of the user, and with the script of the completions loaded. */
const starts: Readonly<Record<'bash' | 'zsh', (script: string) => readonly [command: string, first: string]>> = {
  bash: (script) => ['bash --norc --noprofile -i', `source '${script}'`],
  zsh: (script) => ['zsh -f -i', `bindkey -e; autoload -Uz compinit; compinit -D -u; source '${script}'`],
}

/**
 * The words that each line has once the Tab key is pressed at its end. The shell then runs `printf`, typed at the
 * beginning of the line, in place of `retrieve`. fish says what it offers without a terminal.
 */
export async function completed(
  shell: Shell,
  script: string,
  lines: readonly string[],
  folder: string,
): Promise<(readonly string[])[]> {
  if (shell === 'fish') {
    return lines.map((line) => [...line.split(' ').slice(1, -1), common(fishOffers(script, line, folder), line)])
  }
  const [command, first] = starts[shell](script)
  const child = spawn('script', ['-qec', `stty cols 200 rows 50; TERM=dumb exec ${command}`, '/dev/null'], {
    cwd: folder,
    stdio: 'pipe',
  })
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
  })
  // Control-A goes to the beginning of the line.
  const typed = lines.map((line) => `${line}\t\x01printf '[%s]' \r`)
  child.stdin.write([`${first}\r`, ...typed, 'exit\r'].join(''))
  await once(child, 'close')
  const printed = [...screen.matchAll(/^\[retrieve\]((?:\[[^[\]]*\])*)/gm)]
  return printed.map(([, words = '']) => words.split(/[[\]]+/).filter((word) => word !== ''))
}

/** The beginning that all offers have: a shell inserts it. Without offers, the last word of the line stays. */
function common(offers: readonly string[], line: string): string {
  const [first = line.split(' ').at(-1) ?? ''] = offers
  const lengths = [...first].map((_, index) => first.length - index)
  return first.slice(
    0,
    lengths.find((length) => offers.every((offer) => offer.startsWith(first.slice(0, length)))),
  )
}

/** What fish offers for the last word of a line, without the descriptions. */
export function fishOffers(script: string, line: string, folder: string): string[] {
  const { stdout } = spawnSync('fish', ['--no-config', '-c', `source '${script}'; complete -C '${line}'`], {
    cwd: folder,
    encoding: 'utf8',
  })
  const offers = stdout.split('\n').filter((offer) => offer !== '')
  return offers.map((offer) => offer.split('\t')[0] ?? '')
}
