import { attribute, tokensOf } from './markup.ts'

/** A page of Mallard, or a book of DocBook, as a person reads it. */
export interface HelpPage {
  readonly title: string
  readonly text: string
  /** Where the text leads: `page#section` of the document, or an absolute URL. */
  readonly links: readonly HelpLink[]
  /** The pages that list this one. `a11y#vision` is a section of the page `a11y`. */
  readonly guides: readonly string[]
  /** Whether the page lists others (Mallard 1.0, guide pages). */
  readonly isGuide: boolean
}

export interface HelpLink {
  readonly label: string
  readonly target: string
}

/** Elements that say something about the text, and are no part of it. */
const hidden: ReadonlySet<string> = new Set([
  ...[
    'info',
    'comment',
    'articleinfo',
    'bookinfo',
    'sectioninfo',
    'sect1info',
    'indexterm',
    'keywordset',
    'legalnotice',
  ],
])
const titles: ReadonlySet<string> = new Set(['title'])
const items: ReadonlySet<string> = new Set(['item', 'listitem'])
/** Elements within a line. All others begin a new line. */
const inline: ReadonlySet<string> = new Set([
  ...['app', 'application', 'cmd', 'code', 'command', 'em', 'emphasis', 'email', 'file', 'filename', 'gui', 'guiseq'],
  ...['guibutton', 'guilabel', 'guimenu', 'guimenuitem', 'guisubmenu', 'guiicon', 'menuchoice', 'key', 'keycap'],
  ...['keyseq', 'keycombo', 'input', 'output', 'link', 'ulink', 'xref', 'option', 'literal', 'quote', 'span', 'sys'],
  ...['systemitem', 'var', 'replaceable', 'userinput', 'citetitle', 'trademark', 'phrase', 'acronym', 'firstterm'],
])
const verbatim: ReadonlySet<string> = new Set(['code', 'screen', 'programlisting', 'literallayout'])

/** Reads a page. Reads as much of malformed XML as makes sense. */
export function readPage(xml: string): HelpPage {
  const writer = new PageWriter()
  for (const token of tokensOf(xml)) {
    if (token.kind === 'text') writer.write(token.text)
    else if (token.kind === 'close') writer.close(token.name)
    else {
      writer.open(token.name, token.attributes)
      if (token.isEmpty) writer.close(token.name)
    }
  }
  return writer.page()
}

class PageWriter {
  readonly #blocks: string[] = []
  readonly #links: HelpLink[] = []
  readonly #guides: string[] = []
  readonly #names: string[] = []
  #line = ''
  #mark = ''
  #title: string | null = null
  #isGuide = false
  #link: { readonly target: string; readonly from: number } | null = null
  #hiddenBy = -1

  open(name: string, attributes: string): void {
    if (this.#names.length === 0) this.#isGuide = attribute(attributes, 'type') === 'guide'
    this.#names.push(name)
    if (name === 'link' && attribute(attributes, 'type') === 'guide') {
      const xref = attribute(attributes, 'xref')
      if (xref !== null) this.#guides.push(xref)
    }
    if (this.#hiddenBy !== -1) return
    if (hidden.has(name)) {
      this.#hiddenBy = this.#names.length - 1
      return
    }
    if (!inline.has(name) || this.#isBlockOfCode(name)) this.#flush()
    if (items.has(name)) this.#mark = '* '
    const target = ['xref', 'href', 'linkend', 'url'].map((each) => attribute(attributes, each)).find((each) => each)
    if (target && ['link', 'ulink', 'xref'].includes(name)) this.#link = { target, from: this.#line.length }
  }

  close(name: string): void {
    const at = this.#names.lastIndexOf(name)
    if (at === -1) return
    const isHidden = this.#hiddenBy !== -1
    if (!isHidden) this.#end(name)
    this.#names.length = at
    if (this.#hiddenBy >= at) this.#hiddenBy = -1
  }

  write(text: string): void {
    if (this.#hiddenBy !== -1) return
    const isVerbatim = this.#names.some((name) => verbatim.has(name) && (name !== 'code' || this.#isBlockOfCode(name)))
    if (isVerbatim) this.#line += text
    else
      this.#line +=
        this.#line === '' || /\s$/.test(this.#line.slice(-1))
          ? text.trimStart().replace(/\s+/g, ' ')
          : text.replace(/\s+/g, ' ')
  }

  page(): HelpPage {
    this.#flush()
    const text = this.#blocks.length === 0 ? '' : `${this.#blocks.join('\n\n')}\n`
    const [links, guides, isGuide] = [this.#links, this.#guides, this.#isGuide]
    return { title: this.#title ?? '', text, links, guides, isGuide }
  }

  #end(name: string): void {
    if (this.#link !== null && ['link', 'ulink', 'xref'].includes(name)) {
      const label = this.#line.slice(this.#link.from).trim()
      this.#links.push({ label: label || this.#link.target, target: this.#link.target })
      if (label === '') this.#line += this.#link.target
      this.#link = null
    }
    if (titles.has(name)) this.#endTitle()
    else if (!inline.has(name) || this.#isBlockOfCode(name)) this.#flush()
  }

  #endTitle(): void {
    const title = this.#line.trim()
    this.#line = ''
    if (title === '') return
    const isFirst = this.#title === null
    this.#title ??= title
    this.#blocks.push(`${title}\n${(isFirst ? '=' : '-').repeat(title.length)}`)
  }

  #flush(): void {
    const text = this.#line.trimEnd().replace(/^\n+/, '')
    this.#line = ''
    if (text === '') return
    const block = `${this.#mark}${text}`
    this.#blocks.push(text.includes('\n') ? block : wrapped(block))
    this.#mark = ''
  }

  /** Whether `<code>` is a block: no paragraph is around it. */
  #isBlockOfCode(name: string): boolean {
    return name === 'code' && !this.#names.some((each) => ['p', 'para', 'title'].includes(each))
  }
}

/** The width at which man and info break their lines. */
const width = 78

function wrapped(paragraph: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of paragraph.split(' ')) {
    const isFull = line !== '' && line.length + 1 + word.length > width
    if (isFull) lines.push(line)
    line = line === '' || isFull ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
