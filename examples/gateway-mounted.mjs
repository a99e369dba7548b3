// node gateway-mounted.mjs express|fastify: the pages of the gateway within a server of yours.
import { pathToFileURL } from 'node:url'
import { createClient } from '@retriever/fetchers'
import { createGateway } from '@retriever/gateway'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'

/** Servers of node:http pass its streams on, before they read a body; those of the web's Request take fetch. */
export const mounts = {
  express: ({ pages }) => express().use((request, response) => pages.server.emit('request', request, response)),
  fastify: ({ pages }) =>
    Fastify().addHook('onRequest', async ({ raw }, reply) => pages.server.emit('request', raw, reply.hijack().raw)),
  hono: ({ pages }) => new Hono().all('*', (context) => pages.fetch(context.req.raw)),
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const gateway = createGateway({ client: createClient({ limits: { maxSize: 2 ** 30 } }) })
  const [, , name] = process.argv
  const app = mounts[name](gateway)
  if (name === 'fastify') await app.listen({ port: 8080, host: '127.0.0.1' })
  else app.listen(8080, '127.0.0.1')
  console.log('http://localhost:8080/')
}
