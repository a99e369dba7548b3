/** A form that a server wants filled in before it answers (Gopher+ 2.8, +ASK). All of it is untrusted text. */
export interface Form {
  /** The item's, without password. */
  readonly url: string
  readonly fields: readonly FormField[]
}

/** One question. Its name in FormAnswers is its prompt, or its number from 1 up. */
export interface FormField {
  /**
   * Gopher+'s words: `Ask` one line, `AskP` one line that nobody may read, `AskL` several lines, `AskF` the name of a local file for
   * what comes back, `Select` any of several choices, `Choose` one of them, `ChooseF` the content of a local file. A question of any
   * other kind is an `Ask`.
   */
  readonly kind: 'Ask' | 'AskP' | 'AskL' | 'AskF' | 'Select' | 'Choose' | 'ChooseF'
  readonly prompt: string
  /** What the server proposes; null: nothing. Of `Select` the choice that is ticked before. */
  readonly default: string | null
  /** Of Select and Choose; else empty. A `Select` that is a single box to tick (UMN's servers) has its prompt as its one choice. */
  readonly choices: readonly string[]
}

/**
 * Answers by prompt, or by number ("1" is the first field; of two fields with one prompt the name is that of the first). A text; several
 * lines (AskL, where a text is split at its line ends) or choices (Select); octets for ChooseF, or a text that is its content, never the
 * name of a file. What is left out takes the server's proposal, the first choice of Choose and none of Select; secrets and files are sent
 * only where they are given here. Texts go out as UTF-8, choices in the octets in which the server wrote them. A line end or NUL
 * where one line is wanted, a choice that is none and a name that no field has are `invalid-option`, before anything is submitted.
 */
export type FormAnswers = Readonly<Record<string, string | readonly string[] | Uint8Array>>

/**
 * Fills a form in, once the server has told its questions; null: it is not to be sent (`form-required`). No limit runs meanwhile but
 * totalTimeout. May be asked again where what comes before the submission is tried again; a form itself is never sent twice.
 */
export type FormFiller = (form: Form) => FormAnswers | null | Promise<FormAnswers | null>
