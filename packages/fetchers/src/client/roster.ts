/** A possible member of one roster at a time. */
export interface Rostered {
  /** Its index in the roster; -1 outside of one. Only the roster sets it. */
  slot: number
}

/**
 * A set, in no order, whose members come and go with each retrieval. A Set grows a new table every few changes, and V8
 * keeps each old table with its members, and through it all later ones, until the next full garbage collection: that
 * doubled the time of a retrieval.
 */
export class Roster<T extends Rostered> {
  readonly #members: T[] = []

  get size(): number {
    return this.#members.length
  }

  has(member: T): boolean {
    return this.#members[member.slot] === member
  }

  add(member: T): void {
    if (this.has(member)) return
    member.slot = this.#members.push(member) - 1
  }

  /** False: it was no member. */
  delete(member: T): boolean {
    if (!this.has(member)) return false
    const last = this.#members.pop()
    if (last !== undefined && last !== member) {
      this.#members[member.slot] = last
      last.slot = member.slot
    }
    member.slot = -1
    return true
  }

  /** Removes all members, and gives them. */
  clear(): readonly T[] {
    const members = this.#members.splice(0)
    for (const member of members) member.slot = -1
    return members
  }

  /** The members. None may come or go meanwhile. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#members.values()
  }
}
