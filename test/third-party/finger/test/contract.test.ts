import { testFetcher } from '@retriever/servers/contract'
import { describe, test } from 'vitest'
import { subject } from './subject.ts'

testFetcher(subject, { describe, test })
