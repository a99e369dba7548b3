/**
 * Converts the languages of an Accept-Language (RFC 9110 12.5.4) to a value for LANGUAGE, preferred ones first: `de-AT,
 * en;q=0.5` becomes `de_AT:de:en`. Returns null if there are none.
 */
export function localesOf(acceptLanguage: string | undefined): string | null {
  const ranges = (acceptLanguage ?? '').split(',').flatMap((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = Number(/^q=([\d.]{1,5})$/i.exec(parameters[0] ?? '')?.[1] ?? 1)
    return /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(tag) && quality > 0 ? [{ tag, quality }] : []
  })
  const ordered = ranges.sort((one, other) => other.quality - one.quality)
  const locales = ordered.flatMap(({ tag }) => {
    const [language = '', ...rest] = tag.split('-')
    const region = rest.find((part) => /^[a-z]{2}$/i.test(part))
    const name = language.toLowerCase()
    return region === undefined ? [name] : [`${name}_${region.toUpperCase()}`, name]
  })
  return locales.length === 0 ? null : [...new Set(locales)].join(':')
}

/**
 * Returns the locales to look for, preferred ones first: those asked for, or else the environment's. The last is always
 * `C`.
 */
export function localesWanted(acceptLanguage: string | undefined, environment: NodeJS.ProcessEnv): readonly string[] {
  const { LANGUAGE, LC_ALL, LC_MESSAGES, LANG } = environment
  const own = [...(LANGUAGE ?? '').split(':'), LC_ALL || LC_MESSAGES || LANG || '']
  const names = localesOf(acceptLanguage)?.split(':') ?? own
  const known = names.flatMap((each) => {
    const [, name, language = ''] = /^(([a-z]{2,3})(?:_[A-Z]{2})?)(?:[.@]|$)/.exec(each) ?? []
    return name === undefined ? [] : [name, language]
  })
  return [...new Set([...known, 'C'])]
}
