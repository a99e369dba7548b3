/**
 * The options that a message may name, as paths: `base`, `limits.maxSize`, `http.compressed`. Here stand those that
 * messages of this package name. A package that gives advice of its own adds its options.
 */
export interface AdvisedOptions {
  readonly base: true
  readonly schemes: true
  readonly gateways: true
  readonly fetchers: true
  readonly 'defaults.newsServer': true
  readonly 'defaults.ldapServer': true
}

/** The path of an option, or of the property of an error that says more. */
export type AdvisedOption = keyof AdvisedOptions

/** The advice of a message: an option to set, or one to leave out. */
export interface Advice {
  readonly option: AdvisedOption
  /** The value to set, the element of a list, or the name of a field: false, 25, "Cookie". */
  readonly value?: string | number | boolean
}

/** The option as the library's messages contain it, in backquotes: `policy.allowPorts: [25]`. */
export function adviceText({ option, value }: Advice): string {
  return `\`${option}${valueText(option, value)}\``
}

/** Options whose value names one field, credential or host. */
const keyed = /^(?:headers|credentials|addresses|gateways)$|connectTo$/
/** Options that are lists: `builtins`, and of the policy `allow`, `allowPorts`, `schemes` and `redirectSchemes`. */
const lists = /^builtins$|(?:\.allow|Ports|chemes|hostKeys)$/

function valueText(option: AdvisedOption, value: Advice['value']): string {
  if (value === undefined) return ''
  const text = JSON.stringify(value)
  if (keyed.test(option)) return `[${text}]`
  return lists.test(option) ? `: [${text}]` : `: ${text}`
}
