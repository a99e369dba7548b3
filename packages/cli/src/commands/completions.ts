import { bashCompletions } from '../completions/bash.ts'
import { fishCompletions } from '../completions/fish.ts'
import { zshCompletions } from '../completions/zsh.ts'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'

const scripts: Readonly<Record<string, () => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
}

/** `retrieve completions SHELL`: prints the script that the shell loads at its start. */
export async function completions({ config, output }: Run): Promise<number> {
  const [shell = '', another] = config.operands
  const script = Object.hasOwn(scripts, shell) && another === undefined ? scripts[shell] : undefined
  if (script === undefined) {
    const given = config.operands.length === 0 ? '' : `, not ${config.operands.join(' ')}`
    throw usageError(`completions needs the name of one shell: ${Object.keys(scripts).join(', ')}${given}.`)
  }
  await output.write(script())
  return 0
}
