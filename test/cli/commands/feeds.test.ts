/** Messages of WebSocket and MQTT, as a user of the command gets them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMqttServer, startWsServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { mqttMessageSchema, wsMessageSchema } from '../../../packages/cli/src/results/schema.ts'
import { breaches } from '../../support/cli/check-schema.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

describe('a login that is given goes with the first request', () => {
  const start = { ws: startWsServer, mqtt: startMqttServer }
  const paths = { ws: 'texts', mqtt: 'pub/hello' }

  test.each([
    ['ws', '-u'],
    ['ws', '--netrc-file'],
    ['mqtt', '-u'],
    ['mqtt', '--netrc-file'],
  ] as const)('%s by %s', async (scheme, option) => {
    await using server = await start[scheme]({ auth: 'required' })
    const netrc = join(folder(), 'netrc')
    writeFileSync(netrc, 'machine 127.0.0.1 login alice password secret\n', { mode: 0o600 })
    const url = server.url + paths[scheme]
    const { status, stderr } = await retrieve([option, option === '-u' ? 'alice:secret' : netrc, url])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(server.accepted).toBe(1)
    const wrong = await retrieve(['-u', 'alice:no', url])
    expect(wrong.status).toBe(67)
    expect(wrong.stderr).not.toContain('alice:no')
  })

  test('explain shows it, and hides the password', async () => {
    const explained = await retrieve(['explain', '-u', 'alice:s3cr3t', 'ws://localhost/', 'mqtt://localhost/x'])
    expect(explained.stdout).toContain('Authorization: Basic <password>')
    expect(explained.stdout).toContain('0005 "alice" 000a "<password>"')
    expect(explained.stdout + explained.stderr).not.toMatch(/s3cr3t|YWxpY2U/)
  })

  test('-v and explain hide the fields of the caller that are secret', async () => {
    await using server = await startWsServer()
    const args = ['-H', 'Authorization: Bearer s3cr3t', '-u', 'alice:s3cr3t', `${server.url}texts`]
    const { stderr } = await retrieve(['-v', ...args])
    expect(stderr).toContain('Authorization: Bearer <password>')
    const explained = await retrieve(['explain', ...args])
    expect(stderr + explained.stdout).not.toContain('s3cr3t')
    expect(server.received).toContain('Authorization: Bearer s3cr3t')
  })
})

test('--count: a published file and exit status 0; fewer are an error', async () => {
  await using server = await startMqttServer()
  const file = join(folder(), 'messages')
  const url = `${server.url}pub/%23`
  const outcome = await retrieve(['--count', '2', '-o', file, url])
  expect(outcome).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readFileSync(file).length).toBe(4098)
  const { stdout } = await retrieve(['--count', '1', `${server.url}pub/hello`])
  expect(stdout).toBe('Hello.\n')
  const few = await retrieve(['--count', '5', '-o', join(folder(), 'few'), url])
  expect(few).toMatchObject({ status: 18, stderr: expect.stringContaining('4 of 5 messages') })
  expect(existsSync(join(folder(), 'few'))).toBe(false)
  const explained = await retrieve(['explain', '--count', '2', url])
  expect(explained.stdout).toContain('DISCONNECT: e000')
  for (const wrong of ['0', '-1', 'x', '']) {
    expect((await retrieve([`--count=${wrong}`, url])).stderr).toContain('--count needs a whole number of 1 or more')
  }
})

test('--max-time ends a subscription with a published file and exit status 0', async () => {
  await using server = await startMqttServer({ faults: { stall: 'final' } })
  const file = join(folder(), 'until')
  const outcome = await retrieve(['-m', '1', '-o', file, `${server.url}pub/hello`])
  expect(outcome).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readFileSync(file, 'latin1')).toBe('Hello.\n\n')
})

test.each([
  ['mqtt', 'pub/%23', mqttMessageSchema, 4],
  ['ws', 'texts', wsMessageSchema, 3],
] as const)('--json: a line for each message of %s, by the schema', async (scheme, path, schema, count) => {
  await using server = await { ws: startWsServer, mqtt: startMqttServer }[scheme]()
  const { status, stdout, stderr } = await retrieve(['--json', server.url + path])
  const lines = stdout.trimEnd().split('\n')
  expect([status, lines.length]).toEqual([0, count])
  for (const line of lines) expect(breaches(schema, JSON.parse(line), 'message')).toEqual([])
  expect(JSON.parse(stderr)).toMatchObject({ outcome: 'retrieved', mediaType: 'application/x-ndjson' })
})
