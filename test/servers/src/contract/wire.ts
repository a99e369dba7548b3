import { deepStrictEqual, equal, ok } from 'node:assert/strict'
import { bytesOf } from './observe.ts'
import { Relay } from './relay.ts'
import type { ContractExplanation, Suite } from './subject.ts'

/**
 * Tests that the server gets exactly what the plan says, octet for octet, with each set of options, for an object and
 * for a listing.
 */
export function testWire({ subject, test, start }: Suite): void {
  const { createClient, asked = [], farewell = '' } = subject
  for (const [kind, options] of [
    ['object', {}],
    ['listing', {}],
    ...asked.map((options) => ['object', options] as const),
  ] as const) {
    const how = Object.keys(options).length === 0 ? '' : `, asked for with ${JSON.stringify(options)}`
    test(`the server gets the wire of the plan for an ${kind}${how}, and nothing else (property 16)`, async () => {
      await using place = await start()
      const given = place[kind]
      const server = place.server ?? place.recipient
      if (server === undefined || given === undefined) return
      await using relay = await Relay.before(server)
      const url = relay.urlOf(given)
      const client = createClient()
      const { plan } = await explained(client.explain(url, options))
      await bytesOf(client, url, options)
      await client.close()
      await relay.ended()
      checkReasons(plan)
      ok(
        patternOf(plan, farewell).test(relay.octets),
        `the plan says ${JSON.stringify(plan.wire)}, and the server got ${JSON.stringify(relay.octets)}`,
      )
    })
  }

  test('explaining a URL contacts nobody', async () => {
    await using place = await start()
    await using client = createClient()
    const { url } = await explained(client.explain(place.object))
    equal(url, place.object)
    if (place.server) equal(place.server.accepted, 0)
  })
}

async function explained(explaining: Promise<ContractExplanation>): Promise<Required<ContractExplanation>> {
  const { url, plan } = await explaining
  if (plan === undefined) throw new Error(`The URL ${url} could not be explained`)
  return { url, plan }
}

/** Placeholders for what a plan must not show, and for what the caller is asked for. */
const usual = ['<password>', '<user>']

/** Checks that each unknown part has a reason. */
function checkReasons({ wire, unknown = {} }: Required<ContractExplanation>['plan']): void {
  const parts = wire.flatMap((message) => message.match(/<[a-z][a-z0-9 -]*>/g) ?? [])
  const without = parts.filter((part) => !usual.includes(part) && !unknown[part])
  deepStrictEqual(without, [], 'the plan gives no reason for these')
}

/**
 * A pattern of all messages of the plan. It accepts any octets for unknown parts, and perhaps the end of a kept
 * session.
 */
function patternOf({ wire, unknown = {} }: Required<ContractExplanation>['plan'], farewell: string): RegExp {
  const open = [...usual, ...Object.keys(unknown).filter((part) => part.startsWith('<'))]
  const split = new RegExp(`(${open.map(escaped).join('|')})`)
  const messages = wire.map((message) =>
    message
      .split(split)
      .map((part) => (open.includes(part) ? '[^]*' : escaped(part)))
      .join(''),
  )
  return new RegExp(`^${messages.join('')}(?:${escaped(farewell)})?$`)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
