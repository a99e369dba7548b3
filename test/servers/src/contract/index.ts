/**
 * `@retriever/servers/contract`: what every mechanism promises, as tests for your own fetcher. They work with any test
 * runner: give them the functions of vitest or of node:test.
 */
import type { Faults } from '../faults.ts'
import { testFailures } from './failures.ts'
import { testManners } from './manners.ts'
import { disposable } from './observe.ts'
import { testRetrieval } from './retrieval.ts'
import type { Place, Subject, TestFunctions } from './subject.ts'
import { testWire } from './wire.ts'

export type {
  ContractClient,
  ContractClientOptions,
  ContractEvent,
  ContractRepresentation,
  Place,
  Subject,
  TestFunctions,
} from './subject.ts'

/**
 * Defines the tests of a fetcher's contract. A fetcher that passes can be used like any other. Write your own tests for
 * what only its protocol has.
 */
export function testFetcher(subject: Subject, { describe, test }: TestFunctions): void {
  const start = async (faults?: Faults): Promise<Place & AsyncDisposable> => disposable(await subject.start(faults))
  describe(`${subject.mechanism} keeps the contract of a fetcher`, () => {
    const suite = { subject, test, start }
    testRetrieval(suite)
    testManners(suite)
    testWire(suite)
    testFailures(suite)
  })
}
