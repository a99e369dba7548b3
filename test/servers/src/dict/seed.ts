export interface Database {
  readonly description: string
  readonly info: string
  readonly words: Readonly<Record<string, readonly string[]>>
}

/** The databases, in the order in which `!` and `*` search them. Lines of texts end in LF. */
export const databases: Readonly<Record<string, Database>> = {
  web: {
    description: 'Example Web Dictionary',
    info: 'The dictionary of the test server.\n',
    words: {
      url: ['URL\n  A Uniform Resource Locator (RFC 1738).\n', 'url\n  A second definition.\n'],
      dots: ['dots\n.\n..\n.leading dot\n'],
      grüße: ['grüße\n  greetings\n'],
      'two words': ['two words\n  Blanks in a word are quoted.\n'],
      empty: [''],
      long: [`${Array.from({ length: 100 }, (_, at) => `Line ${at} of a long text.\n`).join('')}.\n`],
    },
  },
  old: {
    description: 'Old "Words"',
    info: 'An older dictionary.\n',
    words: { url: ['url\n  Not known in 1913.\n'], urn: ['urn\n  A vase.\n'] },
  },
}

export const strategies: Readonly<Record<string, string>> = {
  exact: 'Match words exactly',
  prefix: 'Match prefixes',
}
