import { startServers } from '@retriever/servers'
import { afterAll, afterEach, expect, test } from 'vitest'

const servers = await startServers({ http: true, ftp: true, files: { '/pub/x.txt': 'text' } })
afterEach(() => servers.reset())
afterAll(() => servers.close())

test('sends its language, and takes the JSON of the second try', async () => {
  servers.http.route('/items/:id', (_request, { id }) => Response.json({ id }))
  servers.http.route('/items/:id', new Response(null, { status: 503 }), { once: true })

  const url = `${servers.http.url}items/7`
  expect((await fetch(url)).status).toBe(503)
  expect(await (await fetch(url, { headers: { 'accept-language': 'de' } })).json()).toEqual({ id: '7' })

  expect(servers.http.requests).toMatchObject([
    { method: 'GET', target: '/items/7' },
    { method: 'GET', target: '/items/7', headers: { 'accept-language': 'de' } },
  ])
})

test('notices a body that ends early', async () => {
  servers.http.setFaults({ shortBody: 2 })
  await expect(fetch(`${servers.http.url}pub/x.txt`).then((response) => response.text())).rejects.toThrow()
})
