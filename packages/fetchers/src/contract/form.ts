/** A form that a server wants answered before it sends an item (Gopher+ 2.8, +ASK). Its texts are untrusted. */
export interface Form {
  /** The URL of the item, without its password. */
  readonly url: string
  readonly fields: readonly FormField[]
}

/** One question. FormAnswers names it by its prompt, or by its number from 1. */
export interface FormField {
  /**
   * The kind, named as in Gopher+: `Ask` one line, `AskP` one secret line, `AskL` several lines, `AskF` the name of a
   * local file for the answer, `Select` any of several choices, `Choose` one of them, `ChooseF` the content of a local
   * file. A question of any other kind is an `Ask`.
   */
  readonly kind: 'Ask' | 'AskP' | 'AskL' | 'AskF' | 'Select' | 'Choose' | 'ChooseF'
  readonly prompt: string
  /** The server's proposal, or null. For `Select`, the choice that is already ticked. */
  readonly default: string | null
  /**
   * The choices of Select and Choose; otherwise empty. UMN's servers send a `Select` with a single box to tick: its
   * prompt is its only choice.
   */
  readonly choices: readonly string[]
}

/**
 * Answers by prompt, or by number: "1" is the first field. If two fields have the same prompt, the prompt means the
 * first.
 *
 * - A text is one line. For AskL it is split at its line ends, and an array gives the lines.
 * - An array gives the choices of a Select.
 * - Octets, or a text, are the content of a ChooseF; never the name of a file.
 *
 * For a field that is left out, the server's proposal is sent, or the first choice of Choose, or no choice of Select.
 * Secrets and files are sent only if they are given here. Texts are sent as UTF-8, choices in the server's own octets.
 * The error is `invalid-option`, before anything is submitted, for a line end or NUL in one line, a choice that is not
 * offered, and a name that no field has.
 */
export type FormAnswers = Readonly<Record<string, string | readonly string[] | Uint8Array>>

/**
 * Answers a form after the server has sent its questions. Null means do not send it (`form-required`). Only
 * totalTimeout runs meanwhile. It is called again if a step before the submission is tried again; a form is never
 * submitted twice.
 */
export type FormFiller = (form: Form) => FormAnswers | null | Promise<FormAnswers | null>
