import { describe, test } from 'node:test'
import { testFetcher } from '@retriever/servers/contract'
import { subject } from './subject.ts'

testFetcher(subject, { describe, test })
