// GET /?url=URL with Express: retrieves what a stranger asks for, without becoming a way into this network.
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import express from 'express'
import { fieldsOf, publicClient, statusOf } from './proxy.mjs'

export function makeApp(client = publicClient()) {
  const app = express()
  app.get('/', async (request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort(new Error('The browser has gone.')))
    try {
      const representation = await client.retrieve(String(request.query.url), { signal: gone.signal })
      response.set(fieldsOf(representation))
      await pipeline(representation.nodeStream(), response)
    } catch (error) {
      // A body that breaks off must not look complete: the connection is cut.
      if (response.headersSent) response.destroy()
      else response.status(statusOf(error)).type('text').send(`${error.message}\n`)
    }
  })
  return app
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  makeApp().listen(8080, '127.0.0.1', () => console.log('http://127.0.0.1:8080/?url=...'))
}
