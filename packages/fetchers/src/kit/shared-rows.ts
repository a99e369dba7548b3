import type { SharedOptions } from '../contract/fetcher.ts'
import type { OptionRow } from '../contract/options.ts'
import {
  charsetLabel,
  count,
  date,
  fields,
  fieldValue,
  flag,
  formOption,
  octetRange,
  requestLogin,
  resumePoint,
} from './options.ts'

interface SharedRow<Value = unknown> extends OptionRow<Value> {
  /** True: the client itself acts on it, whichever protocol the URL has. Absent: each about.ts tells. */
  readonly isEverywhere?: true
}

/** The options of a retrieval that stand under no protocol's name. */
export const sharedRows: { readonly [Name in keyof SharedOptions]-?: SharedRow<NonNullable<SharedOptions[Name]>> } = {
  range: { kind: octetRange },
  resumeFrom: { kind: resumePoint },
  ifChangedSince: { kind: date },
  ifUnchangedSince: { kind: date },
  accept: { kind: fieldValue },
  acceptLanguage: { kind: fieldValue },
  form: { kind: formOption },
  limit: { kind: count },
  count: { kind: count },
  jsonMessages: { kind: flag, neutral: false },
  headers: { kind: fields },
  login: { kind: requestLogin },
  digest: { kind: flag, neutral: false },
  head: { kind: flag, isEverywhere: true },
  charset: { kind: charsetLabel, isEverywhere: true },
}
