import { createClient } from '@retriever/fetchers'
import { testFetcher as contract, type Subject } from '@retriever/servers/contract'
import { describe, test } from 'vitest'

/** The contract suite of `@retriever/servers/contract`, by vitest, for a built-in mechanism. */
export function testFetcher(subject: Omit<Subject, 'createClient'>): void {
  contract({ createClient, ...subject }, { describe, test })
}
