import { usageError } from '../exit-codes.ts'
import type { ColorChoice } from '../terminal/style.ts'
import { type GivenOptions, get, type OptionRow } from './option.ts'

export type DisplayOption = 'color' | 'page' | 'text' | 'handoff'

export const displayOptions: readonly OptionRow<DisplayOption>[] = [
  {
    long: 'color',
    sent: false,
    arg: 'WHEN',
    help: 'Colours: always, never, or auto, which is the default: on terminals, unless $NO_COLOR or $TERM forbids it',
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
    long: 'handoff',
    sent: false,
    help:
      'Retrieve nothing: hand each URL to the program of this system for it, such as telnet, a mail program or a ' +
      'browser, which is printed first. The program is told the user of the URL, and never the password',
    commands: get,
    example: 'retrieve --handoff telnet://guest@telnet.example.org/',
  },
]

/** Throws `invalid-option`. */
export function readColor(line: GivenOptions<DisplayOption>): ColorChoice {
  const choice = line.value('color') ?? 'auto'
  if (choice === 'auto' || choice === 'always' || choice === 'never') return choice
  throw usageError(`--color needs always, never or auto; not ${JSON.stringify(choice)}.`)
}

/** Throws `invalid-option` if the body goes to a file, or as it is to standard output. */
export function readPage(
  line: GivenOptions<DisplayOption | 'output' | 'remote-name' | 'part' | 'attachments'>,
): boolean {
  return hasOnStdout(line, 'page')
}

/** Throws `invalid-option` as readPage() does. */
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
