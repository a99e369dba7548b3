import { acceptedOptions, whyNot } from '../curl/index.ts'
import { categoryWord, type OptionSpec, options } from '../options/index.ts'
import { paragraph } from './layout.ts'

/** `-o, --output FILE`; the long names stand in one column. */
export function synopsis({ short, long, arg }: OptionSpec): string {
  return `${short === undefined ? '    ' : `-${short}, `}--${long}${arg === undefined ? '' : ` ${arg}`}`
}

/** The options that a word of the help means: `-o`, `--output`, `output`, or the beginning of several. */
export function optionsMeant(word: string): readonly OptionSpec[] {
  const [, short] = /^-([^-])$/.exec(word) ?? []
  if (short !== undefined) return options.filter((option) => option.short === short)
  const long = word.replace(/^--/, '')
  const exact = options.filter((option) => option.long === long)
  return exact.length > 0 || long === '' ? exact : options.filter((option) => option.long.startsWith(long))
}

/** A sentence about an option of curl that has no effect here, or is refused; undefined for any other word. */
export function helpOfForeignOption(word: string): string | undefined {
  const typed = word.startsWith('-') ? word : `--${word}`
  const accepted = acceptedOptions.find(({ long, short }) => typed === `--${long}` || typed === `-${short}`)
  return accepted === undefined ? whyNot(typed) : `${typed} is accepted and has no effect: ${accepted.row.why}.`
}

export function helpOfOption(option: OptionSpec, width: number): string {
  const { help, values, commands, category, example } = option
  const lines = [
    `${help}.`,
    ...(values === undefined ? [] : [`Values: ${values().join(', ')}`]),
    ...(commands === undefined ? [] : [`Commands: ${commands.join(', ')}`]),
    `Category: ${categoryWord(category)}`,
  ]
  const indented = lines.map((line) => `    ${paragraph(line, width - 4, 0).replaceAll('\n', '\n    ')}`)
  return [synopsis(option).trimStart(), ...indented, `    Example: ${example}`].join('\n')
}
