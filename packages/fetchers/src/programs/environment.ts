/**
 * The variables that a program gets: where it finds programs and pages, and the language. It gets no others, since many
 * run commands (LESSOPEN, MANOPT, MANPAGER, PAGER, BROWSER, GROFF_COMMAND_PREFIX; threats.md case 73) or hold secrets.
 */
const passedOn =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TMPDIR|TEMP|TMP|MANPATH|MANSECT|MANWIDTH|COLUMNS|INFOPATH|SYSTEMROOT|PATHEXT)$/i

/** Makes the environment of a program whose output should be UTF-8. Does not change `environment`. */
export function programEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && passedOn.test(name)) passed[name] = value
  }
  const { LC_ALL, ...rest } = passed
  // LC_ALL would override the LC_CTYPE that is set below, so the other variables get its value instead.
  const variables = LC_ALL ? { ...rest, LANG: LC_ALL, LC_MESSAGES: LC_ALL, LC_CTYPE: LC_ALL } : rest
  const characters = variables.LC_CTYPE || variables.LANG || ''
  return {
    ...variables,
    ...(/utf-?8/i.test(characters) ? {} : { LC_CTYPE: 'C.UTF-8' }),
    PAGER: 'cat',
    MANPAGER: 'cat',
    LESSSECURE: '1',
  }
}
