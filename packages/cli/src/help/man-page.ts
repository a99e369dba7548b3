import { commandNames, commandSpecs } from '../commands/index.ts'
import { categories, categoryHelp, type OptionSpec, options } from '../options/index.ts'
import { wrap } from '../terminal/wrap.ts'
import { examples } from './examples.ts'
import { topics } from './topics.ts'

/**
 * The man page retrieve(1) in the macros of man(7), made from the tables of commands and options and from the topics of
 * the help. bundle.mjs writes it into the package.
 */
export function manPage(version: string): string {
  const parts = [
    // The page has no date, so that one version always gives the same page.
    `.TH RETRIEVE 1 "" "retrieve ${version}" "User Commands"`,
    // Hyphenation and stretched lines are off, so that names and URLs stay as they are typed.
    '.nh',
    '.ad l',
    '.SH NAME',
    'retrieve \\- one command for every URL',
    '.SH SYNOPSIS',
    ...synopsis(),
    '.SH DESCRIPTION',
    ...description.flatMap((text) => ['.PP', filled(text)]).slice(1),
    '.SH COMMANDS',
    ...commandNames.flatMap(commandEntry),
    ...entry(bold('help [WORD]'), ['The help on a command, a category of options, a topic or an option.']),
    '.SH OPTIONS',
    filled(
      'The names are those of curl wherever curl has the option. Options, commands and URLs can come in any order, and ' +
        'values as in -o FILE, -oFILE, --output FILE and --output=FILE.',
    ),
    ...categories.flatMap((category) => [
      `.SS ${category}`,
      filled(`${categoryHelp[category]}.`),
      ...options.filter((option) => option.category === category).flatMap(optionEntry),
    ]),
    ...topics.flatMap(({ title, before, rows, after }) => [
      `.SH ${title.toUpperCase()}`,
      ...before.map(filled),
      ...rows.flatMap(([name, text]) => entry(bold(name), [`${text}.`])),
      ...after.flatMap((text) => ['.PP', filled(text)]),
    ]),
    '.SH EXAMPLES',
    ...examples.flatMap(({ command, purpose }) => entry(bold(command), [purpose])),
    '.SH SEE ALSO',
    '.BR curl (1),',
    '.BR wget (1)',
  ]
  return `${parts.join('\n')}\n`
}

const description: readonly string[] = [
  'retrieve works out what a URL means, says what is dangerous about it, and retrieves it: over HTTP, FTP, SFTP, ' +
    'Gopher, Gemini, News, IMAP, LDAP and more, from local files, manual pages and data URLs. The body goes to standard output, or to a file with -o and -O; everything ' +
    'else goes to standard error.',
  'A file gets its name only when it is complete. Until then it is called NAME.part, and -C - continues it.',
  'retrieve explain says what would be sent, and contacts nothing.',
]

function synopsis(): string[] {
  const lines = commandNames.map((name) => {
    const operands = commandSpecs[name].operands
    const word = name === 'get' ? '[get]' : name
    return `${bold(`retrieve ${word}`)} [${italic('OPTION')}...]${operands === '' ? '' : ` ${placeholders(operands)}`}`
  })
  return lines.flatMap((line) => ['.br', line]).slice(1)
}

function commandEntry(name: keyof typeof commandSpecs): string[] {
  const { operands, help, example } = commandSpecs[name]
  return entry(`${bold(name)}${operands === '' ? '' : ` ${placeholders(operands)}`}`, [`${help}.`], example)
}

function optionEntry({ short, long, arg, help, values, commands, example }: OptionSpec): string[] {
  const names = short === undefined ? bold(`--${long}`) : `${bold(`-${short}`)}, ${bold(`--${long}`)}`
  const texts = [
    `${help}.`,
    ...(values === undefined ? [] : [`The values are ${values().join(', ')}.`]),
    ...(commands === undefined ? [] : [`Commands: ${commands.join(', ')}.`]),
  ]
  return entry(arg === undefined ? names : `${names} ${placeholders(arg)}`, texts, example)
}

/** A tagged paragraph. */
function entry(tag: string, texts: readonly string[], example?: string): string[] {
  const shown = example === undefined ? [] : ['.br', `Example: ${bold(example)}`]
  return ['.TP', tag, ...texts.map(filled), ...shown]
}

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`
const italic = (text: string): string => `\\fI${escaped(text)}\\fR`

/** Sets words in capitals as placeholders. */
function placeholders(text: string): string {
  return text
    .split(/([A-Z]+)/)
    .map((part, index) => (index % 2 === 1 ? italic(part) : escaped(part)))
    .join('')
}

/** Breaks text into lines of at most 78 characters, and sets options in bold. */
function filled(text: string): string {
  const words = text.split(' ').map((word) => {
    return /^-{1,2}[A-Za-z]/.test(word) ? word.replace(/^[-\w.]*\w/, bold) : escaped(word)
  })
  return wrap(words.join(' '), 78)
    .map((line) => line.replace(/^[.']/, '\\&$&'))
    .join('\n')
}

const special: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Escapes text for roff, which would print these characters as others that cannot be pasted into a shell. */
function escaped(text: string): string {
  return text.replace(/[\\\-'`^~]/g, (character) => special[character] ?? character)
}
