import { errorCodes } from '@retriever/core'
import { type CommandName, commandNames, commandSpecs } from '../commands/index.ts'
import { usageError } from '../exit-codes.ts'
import {
  applies,
  type Category,
  categories,
  categoryHelp,
  categoryWord,
  type OptionSpec,
  options,
} from '../options/index.ts'
import { nearest } from '../suggest.ts'
import { examples } from './examples.ts'
import { paragraph, row, widthFor } from './layout.ts'
import { helpOfForeignOption, helpOfOption, optionsMeant, synopsis } from './option-help.ts'
import { helpOnFailure, helpOnUploads, type Topic, topics } from './topics.ts'

/** Words that name lists of help. */
const lists = ['all', 'category', 'examples'] as const

/** The words that `--help` takes besides options: lists, commands, categories of options, and topics. */
export const helpWords: readonly string[] = [
  ...lists,
  ...commandNames,
  ...categories.map(categoryWord),
  ...topics.map(({ name }) => name),
]

/**
 * The help on one word: `all`, a category of options, a command, a topic, an option, an exit status or the code of an
 * error. Without a word it is the short help. Throws `invalid-option` for any other word.
 */
export function helpOn(words: readonly string[], columns: number): string {
  const [word = '', another] = words
  if (another !== undefined) throw usageError(`Help is on one word at a time, not on: ${words.join(' ')}.`)
  const width = widthFor(columns)
  const parts = word === '' ? shortHelp(Math.min(width, 80)) : helpOnWord(word, width)
  return `${parts.join('\n\n')}\n`
}

function helpOnWord(word: string, width: number): string[] {
  const lower = word.toLowerCase()
  const command = commandNames.find((name) => name === lower)
  const category = categories.find((name) => categoryWord(name) === lower)
  const topic = topics.find(({ name }) => name === lower)
  if (lower === 'all') return everything(width)
  if (lower === 'category' || lower === 'categories') return categoryList(width)
  if (lower === 'examples') return [exampleRows(width)]
  if (command !== undefined) return ofCommand(command, width)
  if (category !== undefined) return ofCategory(category, width)
  if (topic !== undefined) return ofTopic(topic, width)
  const uploads = helpOnUploads(lower)
  if (uploads !== undefined) return [paragraph(uploads, width)]
  const meant = optionsMeant(word)
  if (meant.length === 0) {
    return [paragraph(helpOnFailure(lower) ?? helpOfForeignOption(word) ?? throwNoHelp(word), width)]
  }
  return meant.length === 1 ? meant.map((option) => helpOfOption(option, width)) : optionSections(meant, width)
}

function throwNoHelp(word: string): never {
  const known = [...helpWords, ...Object.keys(errorCodes), ...options.flatMap(({ long }) => [long, `--${long}`])]
  const guess = nearest(word.toLowerCase(), known)
  const hint =
    guess === undefined ? 'retrieve help category lists the topics.' : `Did you mean: retrieve help ${guess}?`
  throw usageError(`There is no help on ${word}. ${hint}`)
}

const usage = 'Usage: retrieve [COMMAND] [OPTION...] URL...'

/** The short help, which fits on one screen of 24 lines and 80 columns with the prompt. */
function shortHelp(width: number): string[] {
  const names = commandNames.map((name) => (name === 'get' ? 'get (default)' : name)).join(', ')
  const more = [
    `Commands: ${names}`,
    'More help: retrieve help COMMAND, CATEGORY, TOPIC or OPTION, such as: help ls, help http, help -o',
    `Categories: all, ${categories.map(categoryWord).join(', ')}`,
    `Topics: ${[...lists.slice(2), ...topics.map(({ name }) => name)].join(', ')}`,
  ]
  return [
    [usage, paragraph('Retrieves what URLs name; the body goes to standard output.', width)].join('\n'),
    exampleRows(width),
    more.map((line) => paragraph(line, width, 2)).join('\n'),
  ]
}

/** The purposes in their own column, or below the commands on a narrow terminal. */
function exampleRows(width: number): string {
  const column = Math.max(...examples.map(({ command }) => command.length)) + 4
  const fits = examples.every(({ purpose }) => column + purpose.length <= width)
  return examples
    .map(({ command, purpose }) =>
      fits ? `  ${command.padEnd(column - 2)}${purpose}` : `  ${command}\n      ${paragraph(purpose, width - 6, 6)}`,
    )
    .join('\n')
}

function everything(width: number): string[] {
  const rows = commandNames.map((name) =>
    row(`${name} ${commandSpecs[name].operands}`.trimEnd(), commandSpecs[name].help, width),
  )
  const help = row('help [WORD]', 'The help on a command, a category, a topic or an option', width)
  return [
    usage,
    paragraph('Retrieves what URLs name: the body to standard output, everything else to standard error.', width),
    `Commands:\n${[...rows, help].join('\n')}`,
    ...optionSections(options, width),
    `Topics:\n${topicRows(width)}`,
    `Examples:\n${commandNames.map((name) => `  ${commandSpecs[name].example}`).join('\n')}`,
  ]
}

function categoryList(width: number): string[] {
  const rows = categories.map((name) => row(categoryWord(name), categoryHelp[name], width))
  return [
    'Usage: retrieve help WORD, or retrieve --help WORD',
    `Categories of options:\n${[row('all', 'All commands and options', width), ...rows].join('\n')}`,
    `Commands:\n${commandNames.map((name) => row(name, commandSpecs[name].help, width)).join('\n')}`,
    `Topics:\n${topicRows(width)}`,
  ]
}

function topicRows(width: number): string {
  const rows = topics.map(({ name, help }) => row(name, help, width))
  return [row('examples', 'Ten command lines to begin with', width), ...rows].join('\n')
}

function ofCommand(command: CommandName, width: number): string[] {
  const { operands, help, example, sharesWith } = commandSpecs[command]
  const own = options.filter((option) => applies(option, command) && !isShared(option, sharesWith))
  const line = `Usage: retrieve ${command} [OPTION...] ${operands}`.trimEnd()
  const more = `Its workers take most options of ${sharesWith}, too, such as --proto and -n: retrieve help ${sharesWith}`
  return [
    `${line}\n\n${paragraph(`${help}.`, width)}`,
    ...optionSections(own, width),
    ...(sharesWith === undefined ? [] : [paragraph(more, width)]),
    `Example:\n  ${example}`,
  ]
}

/** Whether the help of another command is enough for an option of retrievals. */
function isShared(option: OptionSpec, other: CommandName | undefined): boolean {
  const isOfRetrievals = option.commands !== undefined && option.category !== 'Output'
  return other !== undefined && isOfRetrievals && applies(option, other)
}

function ofCategory(category: Category, width: number): string[] {
  const own = options.filter((option) => option.category === category)
  const name = categoryWord(category)
  const isOption = options.some(({ long }) => long === name)
  const note = isOption ? [paragraph(`For the option of this name: retrieve help --${name}`, width)] : []
  return [paragraph(`${categoryHelp[category]}.`, width), ...optionSections(own, width), ...note]
}

function ofTopic({ title, before, rows, after }: Topic, width: number): string[] {
  return [
    ...before.map((text) => paragraph(text, width)),
    `${title}:\n${rows.map(([name, text]) => row(name, text, width)).join('\n')}`,
    ...after.map((text) => paragraph(text, width)),
  ]
}

function optionSections(listed: readonly OptionSpec[], width: number): string[] {
  return categories.flatMap((category) => {
    const rows = listed
      .filter((option) => option.category === category)
      .map((option) => row(synopsis(option), option.help, width))
    return rows.length === 0 ? [] : [`${category}:\n${rows.join('\n')}`]
  })
}
