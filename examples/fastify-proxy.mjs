// GET /?url=URL with Fastify: as express-proxy.mjs.
import { pathToFileURL } from 'node:url'
import Fastify from 'fastify'
import { fieldsOf, publicClient, statusOf } from './proxy.mjs'

export function makeServer(client = publicClient()) {
  const server = Fastify()
  server.get('/', async (request, reply) => {
    const gone = new AbortController()
    reply.raw.on('close', () => gone.abort(new Error('The browser has gone.')))
    try {
      const representation = await client.retrieve(String(request.query.url), { signal: gone.signal })
      return reply.headers(fieldsOf(representation)).send(representation.nodeStream())
    } catch (error) {
      return reply.code(statusOf(error)).type('text/plain').send(`${error.message}\n`)
    }
  })
  server.addHook('onClose', () => client.close())
  return server
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(await makeServer().listen({ port: 8080, host: '127.0.0.1' }))
}
