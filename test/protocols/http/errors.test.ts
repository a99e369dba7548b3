import { retrieve } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'

test.each([
  ['lines', (fields: readonly string[]) => fields.join('\n')],
  ['JSON', (fields: readonly string[]) => JSON.stringify(Object.fromEntries(fields.map((field) => field.split(': '))))],
  ['a table', (fields: readonly string[]) => fields.map((field) => `<td>${field}</td>`).join('\n')],
])('an error page that repeats the request as %s shows no login and no cookie', async (_, page) => {
  await using server = await startHttpServer()
  server.route('/private', () => {
    const repeated = ['Cookie: sid=c00kie', 'Authorization: Bearer t0ken', 'X-Plain: shown']
    return new Response(page(repeated), { status: 403 })
  })
  const headers = { Authorization: 'Bearer t0ken', Cookie: 'sid=c00kie', 'X-Plain': 'shown' }
  const error = await failure(retrieve(`${server.url}private`, { headers }))
  expect(error.response?.excerpt).toContain('shown')
  expect(error.response?.excerpt).toMatch(/Authorization.*<password>/)
  expect(JSON.stringify(error)).not.toMatch(/c00kie|t0ken/)
})
