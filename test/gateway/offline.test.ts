/** A gateway whose client answers by a step: nothing is passed on. */
import { expect, test } from 'vitest'
import { ask, startProxy } from './support/proxy.ts'

test('http is retrieved by the client as all others are, with the status and the fields of the step', async () => {
  const metadata = {
    status: 203,
    headers: { 'x-odd': 'a', connection: 'x-gone', 'x-gone': 'b', 'content-length': '7' },
  }
  await using proxy = await startProxy(
    { policy: { offline: true } },
    { use: [({ plan: { mechanism } }) => ({ body: mechanism, ...(mechanism === 'http' && { metadata }) })] },
  )
  const web = await ask(proxy.port, 'http://127.0.0.1:8000/x')
  expect(web).toMatchObject({ status: 203, isWhole: true, body: Buffer.from('http') })
  expect(web.fields).toMatchObject({ 'x-odd': 'a', 'content-length': '4' })
  expect(web.fields).not.toHaveProperty('x-gone')
  expect(String((await ask(proxy.port, 'ftp://127.0.0.1:8000/x')).body)).toBe('ftp')
  expect((await ask(proxy.port, 'http://127.0.0.1:8000/x', { method: 'POST' })).status).toBe(405)
})

test('it makes no tunnels', async () => {
  const both = startProxy({ policy: { offline: true, tunnels: true } })
  await expect(both).rejects.toMatchObject({ code: 'invalid-option' })
})
