/** Regular expressions as the sources have them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'

export const root: string = fileURLToPath(new URL('../../', import.meta.url))

export interface Expression {
  /** From the root of the repository. */
  readonly file: string
  readonly source: string
  readonly flags: string
}

export interface Expressions {
  /** Every literal, wherever it stands. */
  readonly literals: readonly Expression[]
  /** The files that make a RegExp by its constructor. */
  readonly constructing: readonly string[]
}

export function expressionsIn(...folders: readonly string[]): Expressions {
  const literals: Expression[] = []
  const constructing = new Set<string>()
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (!name.endsWith('.ts') || name.endsWith('.d.ts')) continue
      const file = join(folder, name)
      visit(parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }), (node) => {
        const { regex, callee } = node as { regex?: { pattern: string; flags: string }; callee?: { name?: string } }
        if (regex !== undefined) literals.push({ file, source: regex.pattern, flags: regex.flags })
        if (callee?.name === 'RegExp') constructing.add(file)
      })
    }
  }
  return { literals, constructing: [...constructing] }
}

/** All objects of a syntax tree, whatever kind they are. */
function visit(node: unknown, look: (node: object) => void): void {
  if (typeof node !== 'object' || node === null || node instanceof RegExp) return
  look(node)
  for (const child of Object.values(node)) visit(child, look)
}

/** The expressions that these files make while they are imported. Each file must not have been imported before. */
export async function madeByImporting(files: readonly string[]): Promise<readonly Expression[]> {
  const made: Expression[] = []
  const Original = globalThis.RegExp
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args: [string | RegExp, string?]) {
      const regexp = new target(...args)
      made.push({ file: 'made while importing', source: regexp.source, flags: regexp.flags })
      return regexp
    },
  })
  try {
    for (const file of files) await import(join(root, file))
  } finally {
    globalThis.RegExp = Original
  }
  return made
}
