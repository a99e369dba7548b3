/** The options of curl that Retriever does not have: accepted without effect, refused, or still missing. */
import { usageError } from '../exit-codes.ts'
import { type AcceptedOptions, accepted } from './accepted.ts'
import { notYet } from './not-yet.ts'
import { type OtherOptions, refused } from './refusals.ts'

export { accepted, notYet, refused }

/** An option that is accepted without effect. */
interface Accepted {
  readonly long: string
  readonly short?: string
  readonly takesValue: boolean
  readonly row: AcceptedOptions
}

/** Reads `-L, --location`, `--keepalive-time SECONDS` or `-F`. */
export function readNames(text: string): { short?: string; long?: string; arg?: string } {
  const [, short, long, arg] = /^(?:-([^-]))?(?:, )?(?:--([\w.-]+))?(?: (.+))?$/.exec(text) ?? []
  return { ...(short && { short }), ...(long && { long }), ...(arg && { arg }) }
}

export const acceptedOptions: readonly Accepted[] = accepted.flatMap((row) =>
  row.options.map((text) => {
    const { short, long = '', arg } = readNames(text)
    return { long, ...(short !== undefined && { short }), takesValue: arg !== undefined, row }
  }),
)

/**
 * Throws `invalid-option` if the value of an accepted option asks for anything else than what happens, or is missing.
 */
export function checkAccepted(name: string, typed: string, value: string | undefined): void {
  const option = acceptedOptions.find(({ long }) => long === name)
  if (option === undefined) return
  const { values, otherwise } = option.row
  if (!option.takesValue && value !== undefined) throw usageError(`${typed} is a switch and takes no value.`)
  if (option.takesValue && value === undefined) throw usageError(`${typed} needs a value.`)
  if (values?.test(value ?? '') === false) throw usageError(`${typed} ${value} is refused. ${otherwise}`)
}

/** The sentence for an option of curl that Retriever does not have; undefined for any other option. */
export function whyNot(typed: string): string | undefined {
  const why = reasonIn(refused, typed)
  if (why !== undefined) return `${typed} is refused. ${why}`
  const hint = reasonIn(notYet, typed)
  return hint === undefined ? undefined : `${typed} is an option of curl that Retriever does not have yet. ${hint}`
}

function reasonIn(rows: readonly OtherOptions[], typed: string): string | undefined {
  return rows.find(({ options }) => options.some((text) => text.split(', ').includes(typed)))?.why
}
