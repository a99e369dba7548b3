/** Regular expressions as the sources have them, and inputs that make a bad one take longer than its input is long. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Found {
  /** From the root of the repository. */
  readonly file: string
  readonly regexp: RegExp
}

export interface Regexps {
  /** Every literal, wherever it stands. */
  readonly literals: readonly Found[]
  /** The files that make a RegExp by its constructor, one for each place. */
  readonly made: readonly string[]
}

export function regexpsIn(...folders: readonly string[]): Regexps {
  const literals: Found[] = []
  const made: string[] = []
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (!name.endsWith('.ts') || name.endsWith('.d.ts')) continue
      const file = join(folder, name)
      visit(parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }), (node) => {
        const { regex, callee } = node as { regex?: { pattern: string; flags: string }; callee?: { name?: string } }
        if (regex !== undefined) literals.push({ file, regexp: new RegExp(regex.pattern, regex.flags) })
        if (callee?.name === 'RegExp') made.push(file)
      })
    }
  }
  return { literals, made }
}

/** All objects of a syntax tree, whatever kind they are. */
function visit(node: unknown, look: (node: object) => void): void {
  if (typeof node !== 'object' || node === null || node instanceof RegExp) return
  look(node)
  for (const child of Object.values(node)) visit(child, look)
}

/** An input of any length: `head`, then `pump` over and over, then `tail`. */
export interface Shape {
  readonly head: string
  readonly pump: string
  readonly tail: string
}

export function inputOf({ head, pump, tail }: Shape, length: number): string {
  return head + pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + tail
}

/** Meant for what formats of the network are made of. */
const common = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  'a',
  '0',
  '-',
  '.',
  '/',
  '%',
  '"',
  "'",
  '<',
  '<a',
  '=',
  ';',
  ', ',
  '\\',
  '(',
  'é',
]

/** The text after the pumped part, which spoils the match of most expressions, so that they backtrack. */
const tails = ['\0', '\n!']

/**
 * Inputs that fit one expression: its own atoms, and what it wants in a row, each pumped, by itself and behind all that
 * the expression wants before it. Atoms that stand for many characters are one of these.
 */
export function shapesFor({ source }: RegExp): readonly Shape[] {
  const pumps = new Map<string, Shape>()
  const add = (head: string, pump: string): void => {
    if (pump !== '') for (const tail of tails) pumps.set(JSON.stringify([head, pump, tail]), { head, pump, tail })
  }
  for (const pump of common) add('', pump)
  const atoms = atomsOf(source)
  for (const [index, { head, sample }] of atoms.entries()) {
    const pair = sample + (atoms[index + 1]?.sample ?? '')
    for (const start of ['', head]) {
      add(start, sample)
      add(start, pair)
    }
    add('', head + sample)
  }
  return [...pumps.values()]
}

interface Atom {
  /** A text that the expression takes before it. */
  readonly head: string
  /** A character that it takes. */
  readonly sample: string
}

const tokens = [
  /\\x[\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4}|\\[pP]\{[^}]*\}|\\./,
  /\[(?:\\.|[^\]\\])*\]/,
  /\((?:\?(?:[:=!]|<[=!]|<\w+>))?|[)|]/,
  /[*+?]\??|\{\d+(?:,\d*)?\}\??/,
  /[\s\S]/,
]
const token = new RegExp(tokens.map(({ source }) => source).join('|'), 'gu')

/** The atoms of an expression with what leads to them, by its first branches. */
function atomsOf(source: string): readonly Atom[] {
  const atoms: Atom[] = []
  const groups: { before: string; first: string | null }[] = []
  let group = { before: '', first: null as string | null }
  let head = ''
  for (const [text] of source.matchAll(token)) {
    if (text.startsWith('(')) {
      groups.push(group)
      group = { before: head, first: null }
    } else if (text === '|' || text === ')') {
      group.first ??= head
      head = text === '|' ? group.before : group.first
      if (text === ')') group = groups.pop() ?? group
    } else if (!/^(?:[*+?]|\{\d)/.test(text)) {
      for (const sample of samplesOf(text)) atoms.push({ head, sample })
      head += samplesOf(text)[0] ?? ''
    }
  }
  return atoms
}

const candidates = [...'a0 \t-./:;,=<>"\'()[]{}@%+*!?#_|\\~^$&`\r\n\u00e9Zz']

/** Up to two characters that an atom takes; none for anchors. */
function samplesOf(atom: string): readonly string[] {
  if (/^(?:\^|\$|\\[bB])$/.test(atom)) return []
  const regexp = new RegExp(`^${atom}$`, /^\\[pPu]|^\[.*\\[pP]/.test(atom) ? 'u' : 's')
  const literal = atom.startsWith('[') ? [...atom.slice(1, -1).replace(/^\^/, '')] : [atom.replace(/^\\/, '')]
  return [...new Set([...literal, ...candidates])].filter((character) => regexp.test(character)).slice(0, 2)
}

/** Lengths of inputs. An expression that is slow is found at a short one, before a long one would take years. */
const lengths = [24, 128, 1024, 8192, 65_536]

const most = 50

export interface SlowShape extends Shape {
  readonly length: number
  readonly milliseconds: number
}

/** The shape that takes longer than 50 ms at some length up to 64 KiB, or undefined. */
export function slowShape(regexp: RegExp): SlowShape | undefined {
  for (const shape of shapesFor(regexp)) {
    for (const length of lengths) {
      const input = inputOf(shape, length)
      const milliseconds = fastest(() => use(regexp, input))
      if (milliseconds > most) return { ...shape, length, milliseconds: Math.round(milliseconds) }
    }
  }
  return undefined
}

function use(regexp: RegExp, input: string): void {
  regexp.lastIndex = 0
  if (regexp.global) input.replace(regexp, '')
  else regexp.exec(input)
}

/**
 * Milliseconds of the processor, so that what else runs on the machine counts for little; of up to three runs where the
 * first one is slow, and could be by chance.
 */
export function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let runs = 0; runs < 3; runs++) {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
    if (best <= most || best > 10 * most) return best
  }
  return best
}
