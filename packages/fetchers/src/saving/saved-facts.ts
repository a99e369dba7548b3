/** What saving needs to know of the octets. A Representation has it all. */
export interface SavedFacts {
  readonly modified: Date | null
  /** The position of the first octet in the resource. */
  readonly offset: number
  /** How many octets there are from `offset` to the end. */
  readonly size?: number | null
  readonly etag?: string | null
  readonly url?: string
  readonly redirects?: readonly { readonly url: string }[]
  /** Which octets were asked for: all, a range, or the rest after those of the part (resumeFrom). Default: all. */
  readonly asked?: 'whole' | 'range' | 'rest'
  /** Resolves once no more octets will come. */
  readonly finished?: Promise<void>
}
