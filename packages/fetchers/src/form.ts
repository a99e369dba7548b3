/** A form that a server wants filled in before it answers (Gopher+ 2.8, +ASK). All of it is untrusted text. */
export interface Form {
  /** The item's, without password. */
  readonly url: string
  readonly fields: readonly FormField[]
}

/** One question. Its name in FormAnswers is its prompt, or its number from 1 up. */
export interface FormField {
  /**
   * Gopher+'s words: `Ask` one line, `AskP` one line that nobody may read, `AskL` several lines, `AskF` the name of a local file for what
   * comes back, `Select` any of several choices, `Choose` one of them, `ChooseF` the content of a local file.
   */
  readonly kind: 'Ask' | 'AskP' | 'AskL' | 'AskF' | 'Select' | 'Choose' | 'ChooseF'
  readonly prompt: string
  /** What the server proposes; null: nothing. */
  readonly default: string | null
  /** Of Select and Choose; else empty. */
  readonly choices: readonly string[]
}

/**
 * Answers by prompt, or by number ("1" is the first field). A text; several lines or choices; octets for ChooseF. What is left out takes
 * the server's proposal, the first choice of Choose and none of Select; secrets and files are sent only where they are given here.
 */
export type FormAnswers = Readonly<Record<string, string | readonly string[] | Uint8Array>>

/** Fills a form in, once the server has told its questions; null: it is not to be sent. */
export type FormFiller = (form: Form) => FormAnswers | null | Promise<FormAnswers | null>
