import { usageError } from '../exit-codes.ts'
import { findProgram } from '../programs/find-program.ts'
import type { PagerProgram } from '../terminal/pager.ts'
import type { ColorChoice } from '../terminal/style.ts'
import { type GivenOptions, get, type OptionRow } from './option.ts'

export type DisplayOption = 'color' | 'page' | 'text' | 'no-pager' | 'handoff'

export const displayOptions: readonly OptionRow<DisplayOption>[] = [
  {
    long: 'color',
    sent: false,
    arg: 'auto|always|never',
    help: 'Colours; default auto: on terminals, unless $NO_COLOR or $TERM forbids it',
    example: 'retrieve --color always explain gopher://gopher.example.org/ | less -R',
    global: true,
  },
  {
    long: 'page',
    sent: false,
    help:
      'Show menus, newsgroups, listings and articles as pages in a pipe or file too, as on a terminal, and HTML as ' +
      'text; a fragment picks its part: a section, lines, or a part of a mail',
    commands: get,
    example: 'retrieve --page http://www.example.org/guide.html#drills',
  },
  {
    long: 'text',
    sent: false,
    help: 'Write the text of HTML and of mails, its lines not wrapped; a fragment picks its part as with --page',
    commands: get,
    example: 'retrieve --text http://www.example.org/guide.html#drills | grep -i bit',
  },
  {
    long: 'no-pager',
    sent: false,
    help: 'Run no pager for ls and --page, even if they write more lines than the terminal has',
    commands: ['get', 'ls', 'open'],
    example: 'retrieve ls --no-pager ftp://ftp.example.org/pub/',
    global: true,
  },
  {
    long: 'handoff',
    sent: false,
    help:
      'Retrieve nothing: run the program of this system for each URL, such as telnet, a mail program or a browser, and ' +
      'print its command line first. The program gets the user of the URL, but never the password',
    commands: get,
    example: 'retrieve --handoff telnet://guest@telnet.example.org/',
  },
]

/** The value of --color. Throws `invalid-option`. */
export function readColor(line: GivenOptions<DisplayOption>): ColorChoice {
  const choice = line.value('color') ?? 'auto'
  if (choice === 'auto' || choice === 'always' || choice === 'never') return choice
  throw usageError(`--color needs always, never or auto; not ${JSON.stringify(choice)}.`)
}

/**
 * The program for long pages: $RETRIEVE_PAGER, else $PAGER, else less or more. Null if there is none, or if the
 * variable is empty or `cat`.
 */
export function readPager(line: GivenOptions<DisplayOption>, env: NodeJS.ProcessEnv): PagerProgram | null {
  if (line.has('no-pager') || env.TERM === 'dumb') return null
  const given = env.RETRIEVE_PAGER ?? env.PAGER
  const command = given ?? ['less', 'more'].find((name) => findProgram(name, env) !== null) ?? ''
  if (/^\s*(?:cat\s*)?$/.test(command)) return null
  // A program that is not installed would show nothing, so it counts as none. Other commands for the shell are not
  // checked.
  const [, name = null] = /^\s*([\w.+-]+)(?:\s+-[\w-]*)*\s*$/.exec(command) ?? []
  if (name !== null && findProgram(name, env) === null) return null
  // F: less leaves if all fits; R: it shows colours; X: it leaves the text on the screen.
  return { command, env: { LESS: 'FRX', ...env } }
}

/** Whether --page is given. Throws `invalid-option` if the body goes to a file, or unchanged to standard output. */
export function readPage(
  line: GivenOptions<DisplayOption | 'output' | 'remote-name' | 'part' | 'attachments'>,
): boolean {
  return hasOnStdout(line, 'page')
}

/** Whether --text is given. Throws what readPage() throws. */
export function readText(line: Parameters<typeof readPage>[0]): boolean {
  return hasOnStdout(line, 'text')
}

function hasOnStdout(line: Parameters<typeof readPage>[0], option: 'page' | 'text'): boolean {
  if (!line.has(option)) return false
  const other = (['output', 'remote-name', 'part', 'attachments'] as const).find((name) => line.has(name))
  if (other === undefined) return true
  const what = option === 'page' ? 'a page' : 'text'
  throw usageError(`--${option} shows ${what} on standard output: leave --${other} out, or redirect with >.`)
}
