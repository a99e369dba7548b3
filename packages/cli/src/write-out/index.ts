import { octetsToText, printable, redact } from '@retriever/core'
import { exitCodeOf } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { writeInPlace } from '../saving/own-file.ts'
import { sentence } from '../terminal/report.ts'
import { type Facts, statusOf } from './facts.ts'
import { type Outcome, textOf } from './variables.ts'

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
/**
 * Matches `%{name}`, `%header{name}`, `%header{name:all:separator}` with `\}` for `}`, `%output{file}`, or `%` or a
 * backslash with the next character, as in curl.
 */
const part = /%\{([^}]*)\}|%header\{((?:[^}\\]|\\[\s\S])*)\}|\\([\s\S])|%output\{([^}]*)\}|%[\s\S]/g

/** A URL whose retrieval has ended. */
interface Done {
  readonly operand: string
  readonly index: number
  readonly facts: Facts
  /** Why the retrieval failed; null if it did not. */
  readonly error: unknown
}

/** Writes the format of -w for one URL. */
export async function writeOutcome(format: string, { operand, index, facts, error }: Done, run: Run): Promise<void> {
  const exit = error === null ? 0 : exitCodeOf(error)
  const outcome: Outcome = {
    facts,
    status: statusOf(facts, error),
    url: redact(operand),
    index,
    method: run.config.request.head ? 'HEAD' : 'GET',
    exit,
    error: exit === 0 ? null : redact(sentence(error)).replace(/^retrieve: /, ''),
  }
  await writeOut(format, outcome, run)
}

/** Writes the format to standard output, and the text behind %{stderr} to standard error. */
async function writeOut(format: string, outcome: Outcome, { output, report }: Run): Promise<void> {
  let toStderr = false
  let file: string | null = null
  const write = async (text: string): Promise<void> => {
    if (file !== null) writeInPlace(file, Buffer.from(text), { append: true })
    else if (toStderr) output.writeError(text)
    else if (text !== '') await output.write(text)
  }
  // Servers chose the values, so a terminal gets none of their control characters.
  const safe = (value: string): string => {
    return file === null && (toStderr || output.stdoutIsTerminal) ? printable(value) : value
  }
  let at = 0
  for (const { 0: typed, 1: variable, 2: field, 3: control, 4: place, index } of format.matchAll(part)) {
    const name = variable?.toLowerCase()
    await write(format.slice(at, index))
    at = index + typed.length
    if (control !== undefined) await write(controls[control] ?? typed)
    else if (field !== undefined) await write(safe(octetsToText(fieldOf(field, outcome.facts))))
    else if (place !== undefined) file = openOutput(place)
    else if (name === 'stderr' || name === 'stdout') {
      toStderr = name === 'stderr'
      file = null
    } else if (name === 'onerror' && outcome.error === null) return
    else if (name === 'onerror') continue
    else if (name === undefined) await write(typed === '%%' ? '%' : typed)
    else {
      const value = textOf(name, outcome)
      if (value === undefined) report.warning({ message: `-w has no variable %{${variable}}.` })
      else await write(name.endsWith('json') ? value : safe(value))
    }
  }
  await write(format.slice(at))
}

/** The first value of a field in the last header section; with `NAME:all:SEPARATOR`, all values in all sections. */
function fieldOf(typed: string, facts: Facts): string {
  const [, name = '', separator = ''] = /^(.*?):all:([\s\S]*)$/.exec(typed) ?? []
  if (name === '') return facts.fields(typed)[0] ?? ''
  return facts.allFields(name).join(separator.replace(/\\([\s\S])/g, (_, next: string) => controls[next] ?? next))
}

/** Opens the file of `%output{FILE}`; with `%output{>>FILE}` it keeps its content. Throws `write-failed`. */
function openOutput(place: string): string {
  const isKept = place.startsWith('>>')
  const file = isKept ? place.slice(2) : place
  writeInPlace(file, Buffer.alloc(0), { append: isKept })
  return file
}
