import { openSync, writeSync } from 'node:fs'
import { tryFile } from '../saving/destination.ts'
import type { Output } from '../terminal/output.ts'

/** Opens the file of --stderr; `-` is standard output. Throws `write-failed`. */
export function openErrors(file: string, output: Output): (text: string | Uint8Array) => void {
  if (file === '-') return (text) => void output.write(text).catch(() => {})
  const opened = tryFile(file, () => openSync(file, 'w'))
  return (text) => void writeSync(opened, Buffer.from(text))
}
