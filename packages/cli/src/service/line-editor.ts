import { widthOf } from '../terminal/wrap.ts'

/** What typed characters show, and what they mean, in their order. */
export type Typed =
  | { readonly show: string }
  | { readonly line: string }
  /** Ctrl-C; Ctrl-D on an empty line; Ctrl-Z. */
  | { readonly key: 'interrupt' | 'end' | 'suspend' }

/**
 * A line that a person types, for use when neither the terminal nor the service edits it. Backspace removes a
 * character, Ctrl-W a word and Ctrl-U the line. It draws only what changes, since text of the service stands before the
 * line.
 */
export class LineEditor {
  #line: string[] = []

  feed(text: string): readonly Typed[] {
    // Keys such as the arrows send sequences, which have no effect here.
    return [...text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/g, '')].flatMap((character) => this.#key(character))
  }

  #key(character: string): readonly Typed[] {
    switch (character) {
      case '\r':
      case '\n': {
        const line = this.#line.join('')
        this.#line = []
        return [{ show: '\r\n' }, { line }]
      }
      case '\x7f':
      case '\b':
        return this.#erase(1)
      case '\x15':
        return this.#erase(this.#line.length)
      case '\x17':
        return this.#erase([...(/(?<!\S)\S+\s*$|^\s+$/.exec(this.#line.join(''))?.[0] ?? '')].length)
      case '\x03':
        this.#line = []
        return [{ show: '^C\r\n' }, { key: 'interrupt' }]
      case '\x04':
        return this.#line.length === 0 ? [{ key: 'end' }] : []
      case '\x1a':
        return [{ key: 'suspend' }]
      case '\t':
        this.#line.push(' ')
        return [{ show: ' ' }]
      default:
        if (character < ' ') return []
        this.#line.push(character)
        return [{ show: character }]
    }
  }

  #erase(count: number): readonly Typed[] {
    const erased = this.#line.splice(Math.max(0, this.#line.length - count))
    return erased.length === 0 ? [] : [{ show: '\b \b'.repeat(widthOf(erased.join(''))) }]
  }
}
