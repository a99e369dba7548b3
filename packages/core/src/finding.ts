import type { Advice } from './advice.ts'
import type { Span } from './url/locator.ts'

/** explain and -v show a `notice`; a `warning` is one line on stderr; a `danger` is refused unless allowed. */
export type Severity = 'notice' | 'warning' | 'danger'

/** Every finding with its severity, which circumstances can soften. */
export const findingCodes = {
  'encoded-delimiter': 'danger',
  'foreign-port': 'danger',
  'option-injection': 'danger',
  'header-injection': 'danger',
  'critical-extension': 'danger',
  'reserved-port': 'warning',
  'password-in-url': 'warning',
  'cleartext-secret': 'warning',
  'empty-user': 'warning',
  'misleading-userinfo': 'warning',
  'numeric-host': 'warning',
  'confusable-host': 'warning',
  'foreign-file-host': 'warning',
  'parser-disagreement': 'warning',
  'unsafe-header': 'warning',
  'non-default-port': 'notice',
  'unsafe-character': 'notice',
  'no-data-object': 'notice',
  'no-server': 'notice',
  'no-fetcher': 'notice',
  'deprecated-scheme': 'notice',
  'host-label': 'notice',
  'server-specific': 'notice',
  'group-name': 'notice',
} as const

export type FindingCode = keyof typeof findingCodes

/** One security or syntax remark on a URL. */
export interface Finding {
  readonly code: FindingCode
  readonly severity: Severity
  /** A sentence that states the fact. */
  readonly message: string
  /** A sentence that says what to do about it. */
  readonly remedy: string
  /** The option of the library that the remedy names, if it names one. */
  readonly advice?: Advice
  /** The [start, end) in the URL as given. */
  readonly span: Span
  /** The section of the specification that has the rule. */
  readonly rule: string
}

/** The remedy of each finding. */
const remedies: Readonly<Record<FindingCode, string>> = {
  'encoded-delimiter': 'Remove the escape; Retriever never sends it.',
  'foreign-port': 'Check where the URL comes from, and allow the port only if this server really listens there.',
  'option-injection': 'Remove the hyphen at its beginning.',
  'header-injection': 'Remove the line break; only the body may have lines.',
  'critical-extension': 'Remove the extension, or its !.',
  'reserved-port': 'Go on only if you know the server.',
  'password-in-url': 'Leave it out, and you are asked for it.',
  'cleartext-secret': 'Use a scheme with TLS where the server has one.',
  'empty-user': 'Write the user before the colon, if it is only missing.',
  'misleading-userinfo': 'Make sure that this is the host you mean.',
  'numeric-host': 'Write the address in four decimal numbers.',
  'confusable-host': 'Compare the name letter by letter with the one you mean.',
  'foreign-file-host': 'Retrieve it from that host by a URL that names a protocol, or leave the host out.',
  'parser-disagreement': 'Do not pass the URL on to other programs; write the host plainly.',
  'unsafe-header': 'Add the field yourself if you want it.',
  'non-default-port': 'This is fine if the server is meant to be there.',
  'unsafe-character': 'Escape them yourself to be sure what is requested.',
  'no-data-object': 'Open it instead of retrieving it.',
  'no-server': 'Name one by `defaults.newsServer`.',
  'no-fetcher': 'Or retrieve it by `fetchers`.',
  'deprecated-scheme': 'Look for the resource under another scheme.',
  'host-label': 'Some resolvers and servers refuse such a name.',
  'server-specific': 'To pass it on, name the article by a news URL with its message-id.',
  'group-name': 'To name an article, write its message-id, which has an @.',
}

/** The options that remedies name. */
const advices: Readonly<Partial<Record<FindingCode, Advice>>> = {
  'no-server': { option: 'defaults.newsServer' },
  'no-fetcher': { option: 'fetchers' },
}

/** Makes a finding. Its severity is that of its code unless the caller softens it. */
export function finding(code: FindingCode, message: string, span: Span, rule: string, severity?: Severity): Finding {
  const made = { code, severity: severity ?? findingCodes[code], message, remedy: remedies[code], span, rule }
  const advice = advices[code]
  return advice === undefined ? made : { ...made, advice }
}

const delimiterNames: Readonly<Record<string, string>> = { '0D': 'CR', '0A': 'LF', '00': 'NUL', '09': 'TAB' }

/**
 * Findings for escaped CR, LF and NUL in one part of the URL, one for each run. Schemes with their own rules call this
 * as well.
 */
export function findDelimiters(text: string, part: string, at: number, pattern: RegExp = /(?:%0[0AaDd])+/g): Finding[] {
  return [...text.matchAll(pattern)].map((match) => {
    const names = (match[0].match(/%../g) ?? []).map((octet) => delimiterNames[octet.slice(1).toUpperCase()])
    const start = at + match.index
    return finding(
      'encoded-delimiter',
      `The ${part === 'urlPath' ? 'path' : part} holds an encoded ${names.join(' ')}, which would end the protocol's line and smuggle in what follows.`,
      [start, start + match[0].length],
      'RFC 1738 6',
    )
  })
}
