import type { Severity } from '@retriever/core'

/** The kinds of coloured text; findings are coloured by their severity. */
export type Style = Severity | 'good' | 'strong' | 'faint' | 'sent' | 'received'

/**
 * SGR parameters (ECMA-48 8.3.117). util.styleText is not used: from Node 22.13 on, it looks at the environment itself.
 */
const parameters: Readonly<Record<Style, string>> = {
  danger: '1;31',
  warning: '1;33',
  notice: '36',
  good: '32',
  strong: '1',
  faint: '2',
  sent: '36',
  received: '32',
}

/** Gives a style to a harmless text, or returns it unchanged if no colours are wanted. */
export type Paint = (style: Style, text: string) => string

export const plain: Paint = (_, text) => text

export const colored: Paint = (style, text) => (text === '' ? '' : `\x1b[${parameters[style]}m${text}\x1b[0m`)

/** The value of --color. */
export type ColorChoice = 'auto' | 'always' | 'never'

/**
 * Whether a stream gets colours. --color decides first; then NO_COLOR (no-color.org), FORCE_COLOR as in Node,
 * CLICOLOR_FORCE and CLICOLOR (bixense.com/clicolors), in this order. Otherwise terminals get them, except dumb ones.
 */
export function wantsColor(choice: ColorChoice, env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (choice !== 'auto') return choice === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return !/^(?:0|false)$/.test(env.FORCE_COLOR)
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return isTerminal && env.CLICOLOR !== '0' && env.TERM !== 'dumb'
}
