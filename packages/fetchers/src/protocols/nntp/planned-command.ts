import type { NntpPlan } from '@retriever/core/internal'

/** Returns the plan's command that begins with a verb, as core built it, without its line end. */
export function plannedCommand({ wire }: NntpPlan, verb: 'STARTTLS' | 'LIST' | 'GROUP' | 'ARTICLE'): string {
  const line = wire.find((each) => each.startsWith(verb))
  if (line === undefined) throw new TypeError(`The plan's wire has no ${verb} command.`)
  return line.replace(/\r\n$/, '')
}
