/** The facts about the octets that saving depends on; a Representation has them all. */
export interface SavedFacts {
  readonly modified: Date | null
  /** The position of the first octet in the resource. */
  readonly offset: number
  /** The octets from `offset` to the end. */
  readonly size?: number | null
  readonly etag?: string | null
  readonly url?: string
  readonly redirects?: readonly { readonly url: string }[]
  /** The octets that were asked for: all, a range, or the rest behind those of the part (resumeFrom). Default: all. */
  readonly asked?: 'whole' | 'range' | 'rest'
  /** Resolves once no more octets will come. */
  readonly finished?: Promise<void>
}
