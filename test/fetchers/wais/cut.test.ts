import { startWaisServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { body } from '../../support/outcome.ts'
import { field } from '../../support/wais/fields.ts'

/** A text of five octets, where more were asked for. */
const records = field(153, field(127, 'short'))
const end = '\x1c\0\x17SFRequest out of range\x01\x1d'

function answer(userInformation: string): string {
  const apdu = `\0\x0e\x17\0\0\0\0\0\0\x01\0\0\0\x1b\x01\0${field(99, userInformation)}`
  return `${String(apdu.length).padStart(10, '0')}z2wais        0${apdu}`
}

test.each([
  ['that ends without the mark of the end is partial', '99/', records, { error: { code: 'partial' } }],
  ['that is shorter than its URL says has changed', '99/', records + end, { got: Buffer.from('short'), error: null }],
  ['of unknown length ends with the first short piece', '', records, { got: Buffer.from('short'), error: null }],
])('a document %s', async (_, length, octets, outcome) => {
  await using server = await startWaisServer({ faults: { replies: { RETRIEVE: answer(octets) } } })
  expect(await body(`${server.url}demo/TEXT/${length}2=demo;3=0%2099%20/x;`)).toMatchObject(outcome)
})
