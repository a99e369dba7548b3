import { type Check, type Checks, checkOptions, flag } from './options.ts'

export interface RouteOptions {
  /** Whether the route answers one request and is then removed. Default false. */
  readonly once?: boolean
}

/** The values of the `:names` in a route's path, and under `*` the text that matched a final `*`. Percent-decoded. */
export type RouteParams = Readonly<Record<string, string>>

interface Route<Handler> {
  readonly names: readonly string[]
  readonly handler: Handler
  readonly once: boolean
}

interface FoundRoute<Handler> {
  readonly handler: Handler
  readonly params: RouteParams
  readonly once: boolean
  /** Must be called when the route answers. */
  used(): void
}

const checks: Checks<RouteOptions> = { once: flag }

/** Paths and what answers them. The latest one comes first. */
export class Routes<Handler> {
  readonly #check: Check
  #routes: readonly Route<Handler>[] = []

  /** `check` throws a TypeError if a handler is none. */
  constructor(check: Check) {
    this.#check = check
  }

  /**
   * Adds a route with an absolute path: `/api/items/:id`, `/files/*`. Throws a TypeError for any other path or handler.
   */
  add(path: string, handler: Handler, options: RouteOptions): void {
    if (typeof path !== 'string' || !path.startsWith('/')) {
      throw new TypeError(`route: expected an absolute path such as /items/:id, got ${JSON.stringify(path)}`)
    }
    this.#check(`route ${path}`, handler)
    checkOptions('route', options, checks)
    this.#routes = [{ names: path.split('/'), handler, once: options.once ?? false }, ...this.#routes]
  }

  clear(): void {
    this.#routes = []
  }

  /** The routes for a path, one by one, since a handler may leave the request to the next route. */
  *find(path: string): Iterable<FoundRoute<Handler>> {
    for (const route of this.#routes) {
      const params = match(route.names, path.split('/'))
      if (!params) continue
      const used = (): void => {
        if (route.once) this.#routes = this.#routes.filter((other) => other !== route)
      }
      yield { handler: route.handler, params, once: route.once, used }
    }
  }
}

function match(names: readonly string[], given: readonly string[]): RouteParams | undefined {
  const params: [string, string][] = []
  const open = names.at(-1) === '*'
  if (open ? given.length < names.length : given.length !== names.length) return undefined
  for (const [at, name] of names.entries()) {
    if (open && at === names.length - 1) params.push(['*', given.slice(at).join('/')])
    else if (name.startsWith(':') && given[at] !== '') params.push([name.slice(1), given[at] ?? ''])
    else if (name !== given[at]) return undefined
  }
  return Object.fromEntries(params.map(([name, value]) => [name, Buffer.from(value, 'latin1').toString('utf8')]))
}
